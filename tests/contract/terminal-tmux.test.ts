import { describeTerminalContract } from "./terminal.ts";
import { TmuxHarness } from "./tmux-harness.ts";

describeTerminalContract("tmux", async () => new TmuxHarness());
