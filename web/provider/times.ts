// Moments on pages that have no script of their own.
import { localTimes } from "../ui/times";

localTimes(document);
