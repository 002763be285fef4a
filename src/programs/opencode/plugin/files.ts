/** The plugin's files, as they are installed: OpenCode loads them as they stand. */
import conversation from "./conversation.mjs?raw";
import door from "./door.mjs?raw";
import plugin from "./plugin.mjs?raw";
import reporter from "./reporter.mjs?raw";
import taking from "./taking.mjs?raw";
import watch from "./watch.mjs?raw";

export const PLUGIN_FILES: Readonly<Record<string, string>> = {
  "conversation.mjs": conversation,
  "door.mjs": door,
  "plugin.mjs": plugin,
  "reporter.mjs": reporter,
  "taking.mjs": taking,
  "watch.mjs": watch,
};
