/** Turns stored messages into the items that core/prompt composes: names, headlines, files. It never types. */
import { splitAddress } from "../../core/address.ts";
import type { HostName } from "../../core/cluster/hosts.ts";
import { hostOfSpeaker, shownSpeaker } from "../../core/cluster/speakers.ts";
import type { Message } from "../../core/message.ts";
import { isFromOutside } from "../../core/routing/route.ts";
import { type PromptItem, readableBody, type Sender } from "../../core/text/prompt.ts";
import type { Batch } from "../../ports/endpoint.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Directory } from "../presence/directory.ts";

const DUPLICATE_MARK = "(possible duplicate) ";

export interface ComposingParts {
  readonly context: OfficeContext;
  readonly directory: Directory;
  /** Someone waits for the answer to it. */
  isQuestion(message: Message): boolean;
}

/** A prompt that names the file of an item may be typed only after `fileBody`. */
export function promptItems(
  batch: Batch,
  { context, directory, isQuestion }: ComposingParts,
): readonly PromptItem[] {
  return batch.items.map(({ message, delivery }) => ({
    shortId: message.shortId,
    body: delivery.possibleDuplicate ? DUPLICATE_MARK + message.body : message.body,
    sender: senderOf(message, context, directory),
    isQuestion: isQuestion(message),
    file: context.files.absolute(message.file),
  }));
}

/** The body's file, sanitised: an agent that opens it is an output like any other. */
export function fileBody(message: Message, context: OfficeContext, directory: Directory): Promise<string> {
  const text = readableBody({ body: message.body, sender: senderOf(message, context, directory) });
  return context.files.ensure(message.file, `${text}\n`);
}

function senderOf(message: Message, context: OfficeContext, directory: Directory): Sender {
  const { kind, rest } = splitAddress(message.from);
  const host = hostOfSpeaker(message.from);
  if (host !== undefined) return senderElsewhere(message, host);
  if (message.source === "bellhop") return { kind: "bellhop" };
  // An unknown session has only its id; without an address to answer, it would pass for a person.
  if (kind === "session") return { kind, id: rest };
  if (kind === "other" && message.source === "bridge") return { kind: "guest", name: rest };
  if (kind !== "agent") return { kind: "person", name: rest, outside: message.source === "bridge" };
  if (message.fromSession === undefined) return { kind: "agent", name: rest };
  const session =
    directory.get(message.fromSession)?.record ?? context.store.read.session(message.fromSession);
  const headline = session === undefined ? undefined : directory.headlineOf(session);
  return {
    kind: "agent",
    name: rest,
    sessionId: message.fromSession,
    ...(headline === undefined || headline === message.fromSession ? {} : { headline }),
  };
}

/** Always with its host: another Bellhop is not this one, and its person does not see this terminal. */
function senderElsewhere({ from, source }: Message, host: HostName): Sender {
  const name = shownSpeaker(from, host);
  const [root] = from.split("/");
  if (root === "agent") return { kind: "agent", name };
  if (root === "session") return { kind: "session", id: splitAddress(from).rest };
  if (root === "person") return { kind: "guest", name, onHost: true };
  const isBellhop = root === "bellhop" ? ({ isBellhop: true } as const) : {};
  return { kind: "program", name, outside: isFromOutside(source), ...isBellhop };
}
