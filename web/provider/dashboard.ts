// The dashboard's script: keys, buttons that copy, lists that stay current. Every page works
// without it.

import "../ui/busy";
import { startCommands } from "../ui/commands";
import { copying } from "../ui/copy";
import { startFiles } from "../ui/files";
import { startKeys } from "../ui/keys";
import { startLive } from "../ui/live";
import { startMenus } from "../ui/menus";
import { startPlots } from "../ui/plots";
import { startScroll } from "../ui/scroll";
import { keepLocalTimes } from "../ui/times";

copying(document);
startCommands();
startFiles(document);
startKeys();
startMenus();
startPlots();
startScroll();
startLive();
keepLocalTimes();
