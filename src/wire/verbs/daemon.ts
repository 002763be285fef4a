/** The daemon itself: how it stands, what it finds, and what hooks tell it. */
import { z } from "zod";
import { NOTHING } from "../../core/rights/needs.ts";
import type { DiagnosedSession, HookEventResponse, StatusResponse } from "../shapes/daemon.ts";
import { address, json, nothing } from "./fields.ts";
import { REQUEST_LIMITS } from "./limits.ts";
import { type Checked, typed, verb } from "./verb.ts";

export const daemon = {
  status: verb({
    request: nothing,
    response: typed<StatusResponse>(),
    needs: () => NOTHING,
  }),
  diagnose: verb({
    request: nothing,
    response: typed<{
      readonly sessions: readonly DiagnosedSession[];
      readonly servers: readonly { readonly name: string; readonly state: string }[];
    }>(),
    needs: () => NOTHING,
  }),
  hook_event: verb({
    request: z.strictObject({
      eventName: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "is not the name of an event"),
      /** Whoever names the session need not know its program. */
      program: z
        .string()
        .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "is not the name of a program")
        .exactOptional(),
      /** Whose event it is, by any word for it; else it is found by what the program says of itself. */
      to: address.exactOptional(),
      /** Stamped when the hook ran. */
      emittedAt: z.int().min(0),
      payload: json,
      environment: z
        .record(
          z.string().max(REQUEST_LIMITS.nameCharacters),
          z.string().max(REQUEST_LIMITS.environmentCharacters),
        )
        .refine(
          (entries) => Object.keys(entries).length <= REQUEST_LIMITS.environmentEntries,
          "has too many entries",
        ),
    }),
    response: typed<HookEventResponse>(),
    needs: (report) => [
      { right: "admin", what: "report what another's program does", unlessOwn: { kind: "report", report } },
    ],
    defaults: (now) => ({ emittedAt: now, environment: {}, payload: null }),
  }),
  stop: verb({
    request: nothing,
    response: typed<{ readonly stopping: true }>(),
    needs: () => [{ right: "admin" }],
  }),
};

export type HookReport = Checked<typeof daemon.hook_event.request>;

/** What a program's hook tells, once it is known whose it is. */
export type HookEventRequest = Omit<HookReport, "program" | "to"> & { readonly program: string };
