import { BellhopError, EXIT } from "../../core/errors.ts";
import { readBody } from "../body.ts";
import type { Command } from "../command.ts";
import { durationFrom } from "../given-duration.ts";
import { RUNNING_OPTIONS, runRequest, tellStarted } from "../running.ts";

const WAIT_MS = 30 * 60_000;

export const spawn: Command = {
  name: "spawn",
  summary: "start a child agent with a first message; its parent hears when it has answered",
  usage: ['spawn "PROMPT" [--name N] [--wait] [-- PROGRAM [ARGUMENT…]]', "spawn - [options]"],
  options: {
    ...RUNNING_OPTIONS,
    wait: { kind: "flag", summary: "until its first turn has ended" },
    "wait-timeout": { kind: "value", value: "D", summary: "with --wait: not longer than this (30m)" },
  },
  words: { least: 1, most: 1_000 },
  examples: [
    { command: 'bellhop spawn "implement the login" --name login', does: "Claude Code, in this folder" },
    { command: 'bellhop spawn "review this" --wait -- codex', does: "Codex, and wait for its answer" },
  ],
  run: async (context, args) => {
    const { out } = context;
    const prompt = await readBody(context, args, 0);
    const command = args.words.length > 1 ? args.words.slice(1) : ["claude"];
    const started = await context.ask("spawn", { ...runRequest(context, args, command), prompt });
    if (!args.flag("wait")) {
      tellStarted(out, started);
      return EXIT.ok;
    }
    const given = args.value("wait-timeout");
    const timeoutMs = given === undefined ? WAIT_MS : durationFrom(given, "--wait-timeout");
    const { state, reached } = await context.ask(
      "wait",
      { id: started.messageId, state: "read", timeoutMs },
      { timeoutMs: "never" },
    );
    if (!reached) {
      throw new BellhopError(state === "unconfirmed" ? "delivery.unconfirmed" : "message.failed", {
        message: `Its first message is ${state}.`,
        next: `Look with "bellhop output ${started.agent}".`,
      });
    }
    if (out.json) out.value({ ...started, state });
    else out.line(`"${started.agent}" has ended its first turn. Look: bellhop output ${started.agent}`);
    return EXIT.ok;
  },
};
