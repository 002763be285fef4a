import { PtyHarness } from "./pty-harness.ts";
import { describeTerminalContract } from "./terminal.ts";

describeTerminalContract("hosted PTY", async () => new PtyHarness());
