/** The daemon itself: its status, what it finds, and what hooks report to it. */
import { z } from "zod";
import { NOTHING } from "../../core/rights/needs.ts";
import type { DiagnosedSession, HookEventResponse, StatusResponse } from "../shapes/daemon.ts";
import { address, eventName, hookEnvironment, id, json, nothing, programName } from "./fields.ts";
import { type Checked, typed, verb } from "./verb.ts";

export const daemon = {
  status: verb(
    () => nothing,
    typed<StatusResponse>(),
    () => NOTHING,
  ),
  diagnose: verb(
    () => nothing,
    typed<{
      readonly sessions: readonly DiagnosedSession[];
      readonly servers: readonly { readonly name: string; readonly state: string }[];
    }>(),
    () => NOTHING,
  ),
  hook_event: verb(
    () =>
      z.strictObject({
        eventName,
        /** Not needed if the session is named. */
        program: programName.exactOptional(),
        /** The session or agent, by any name; otherwise it is found by what the program says about itself. */
        to: address.exactOptional(),
        /** When the hook ran. */
        emittedAt: z.int().min(0),
        payload: json,
        environment: hookEnvironment,
        /** The hook waits for text that may go in its answer (`hook_take`), and prints it. */
        takes: z.boolean().exactOptional(),
        /** It has printed the answer with this code. */
        answer: id.exactOptional(),
      }),
    typed<HookEventResponse>(),
    (report) => [
      { right: "admin", what: "report what another's program does", unlessOwn: { kind: "report", report } },
    ],
    {
      defaults: (now) => ({ emittedAt: now, environment: {}, payload: null }),
    },
  ),
  hook_take: verb(
    () =>
      z.strictObject({
        /** From the answer to `hook_event`. The command line of a process under `pid` has it too. */
        code: id,
        /** The hook's own process, under the program whose hook it is. */
        pid: z.int().min(1),
      }),
    typed<HookEventResponse>(),
    // The code and the process decide, whoever asks.
    () => NOTHING,
  ),
  stop: verb(
    () => nothing,
    typed<{ readonly stopping: true }>(),
    () => [{ right: "admin" }],
  ),
};

export type HookReport = Checked<typeof daemon.hook_event.request>;

/** A hook's report, once its session is known. */
export type HookEventRequest = Omit<HookReport, "program" | "to"> & { readonly program: string };
