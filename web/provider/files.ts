// File controls of pages that have no script of their own.
import "../ui/busy";
import { startFiles } from "../ui/files";

startFiles(document);
