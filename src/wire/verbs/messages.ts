/** Who sends what to whom, and what became of it. */
import { z } from "zod";
import { DELIVERY_STATES } from "../../core/message.ts";
import { mail, ofMailbox, ofMessage, toSay } from "../../core/rights/needs.ts";
import type {
  AnswerResponse,
  ExplainResponse,
  ExportedEntry,
  HistoryEntry,
  SendResponse,
  ShownMessage,
  ShowResponse,
  WaitResponse,
} from "../shapes/messages.ts";
import { claims } from "./claims.ts";
import { address, id, limit, patience, timeWindow } from "./fields.ts";
import { EMPTY_BODY, KEYS_WITHOUT_RAW, keysAreRaw, said, saysSomething } from "./saying.ts";
import { type Checked, typed, verb } from "./verb.ts";

export const messages = {
  send: verb({
    request: z
      .strictObject({
        ...said,
        to: address,
        /** Answers this message. */
        re: id.exactOptional(),
        /** Whoever sends it waits for the answer: refused where none could come meanwhile. */
        asks: z.boolean().exactOptional(),
      })
      .refine(saysSomething, EMPTY_BODY)
      .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    response: typed<SendResponse>(),
    needs: toSay,
  }),
  reply: verb({
    request: z
      .strictObject({ ...said, id })
      .refine(saysSomething, EMPTY_BODY)
      .refine(keysAreRaw, KEYS_WITHOUT_RAW),
    response: typed<SendResponse>(),
    needs: ({ id: re, ...rest }) => toSay({ ...rest, re }),
  }),
  wait: verb({
    request: z.strictObject({ id, state: z.enum(DELIVERY_STATES), timeoutMs: patience.exactOptional() }),
    response: typed<WaitResponse>(),
    needs: ofMessage,
  }),
  /**
   * Until somebody has answered it, nobody can any more, or the time is over. `take`: whoever asks says with `ack` that
   * they have the answer; until then nobody else gets it.
   */
  answer: verb({
    request: z.strictObject({ id, timeoutMs: patience, take: z.boolean().exactOptional() }),
    response: typed<AnswerResponse>(),
    needs: ofMessage,
  }),
  /** Until its courier has looked once: held and why, or what became of it. */
  verdict: verb({
    request: z.strictObject({ id, timeoutMs: patience }),
    response: typed<ShowResponse>(),
    needs: ofMessage,
  }),
  show: verb({
    request: z.strictObject({ id }),
    response: typed<ShowResponse>(),
    needs: ofMessage,
    aliases: { messageId: "id" },
  }),
  explain: verb({
    request: z.strictObject({ id }),
    response: typed<ExplainResponse>(),
    needs: ofMessage,
  }),
  /** The whole body, for an agent that was given a reference. What is for the reader is `read` from then on. */
  read: verb({
    request: z.strictObject({ id, claims }),
    response: typed<{ readonly message: ShownMessage }>(),
    needs: ofMessage,
  }),
  /** Newest first. */
  history: verb({
    request: z.strictObject({ who: address.exactOptional(), ...timeWindow.shape }),
    response: typed<{ readonly entries: readonly HistoryEntry[] }>(),
    needs: ofMailbox,
  }),
  /** One page of everything, oldest first; go on behind `next` until there is none. */
  export: verb({
    request: z.strictObject({
      who: address.exactOptional(),
      unmatched: z.boolean().exactOptional(),
      after: z.int().min(0).exactOptional(),
      limit: limit.exactOptional(),
    }),
    response: typed<{ readonly entries: readonly ExportedEntry[]; readonly next?: number }>(),
    needs: (request) => (request.unmatched === true ? mail() : ofMailbox(request)),
  }),
};

export type SendRequest = Checked<typeof messages.send.request>;
