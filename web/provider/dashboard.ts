// The dashboard's script: keys, buttons that copy, lists that stay current. Every page works
// without it.

import "../ui/busy";
import { copying } from "../ui/copy";
import { startKeys } from "../ui/keys";
import { startPlots } from "../ui/plots";
import { startScroll } from "../ui/scroll";
import { startLive } from "./parts/live";

copying(document);
startKeys();
startPlots();
startScroll();
startLive();
