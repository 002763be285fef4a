// npm run demo: installs what is missing, builds, and tells the story of one message.
import { build, ensureCommands, ensureNode, ensurePackages } from "./ensure.mjs";

ensureNode();
ensurePackages();
ensureCommands({ tmux: "tmux" });
build();
const { tellStory } = await import("../demo/story.mjs");
process.exitCode = await tellStory();
