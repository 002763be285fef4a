// npm start: installs what is missing, builds, starts the daemon and says what to do next.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, ensureCommands, ensureNode, ensurePackages, root } from "./ensure.mjs";

ensureNode();
ensurePackages();
ensureCommands({ tmux: "tmux", curl: "curl" });
build();

const bellhop = join(root, "bin", "bellhop.cjs");
const call = (...args) => spawnSync(process.execPath, [bellhop, ...args], { stdio: "inherit" }).status ?? 1;

const started = call("up");
if (started !== 0) process.exit(started);
call("ls");
console.log(`
Next:
  npm link                                   put "bellhop" on your PATH
  bellhop hooks install                      let your agents report when they are ready
  tmux new -s work                           start an agent in it (claude, codex, opencode, gemini), then:
  bellhop ls                                 who is there
  bellhop send NAME "hello"                  a message, delivered when its agent is ready
  npm run demo                               see it work with two scripted agents`);
