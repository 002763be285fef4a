/** What `doctor` asks about each running session. It reads screens and types nothing. */
import type { Transport } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import type { Reading } from "../../core/readiness/reading.ts";
import type { DiagnosedSession } from "../../wire/shapes/daemon.ts";
import type { OfficeContext } from "../base/context.ts";
import type { Ground } from "../presence/ground.ts";
import type { LiveSession } from "../presence/live-session.ts";
import { whyNoHook } from "../typing/transports/hook.ts";

export async function diagnose({ context, directory }: Ground): Promise<readonly DiagnosedSession[]> {
  return Promise.all(directory.all().map((session) => diagnoseSession(context, session)));
}

async function diagnoseSession(context: OfficeContext, session: LiveSession): Promise<DiagnosedSession> {
  const { record, profile } = session;
  const { reading } = await session.observe();
  const allowed = context.settings().transports(record.program);
  const open: Transport[] = [];
  const closed: { transport: Transport; why: string }[] = [];
  const inbox = profile.inbox ? context.inboxes[profile.name] : undefined;
  const offer =
    inbox === undefined
      ? { kind: "not-offered" as const, why: "this program has no inbox" }
      : await inbox.offers(session.facts);
  const say = (transport: Transport, why: string | undefined): void => {
    if (!allowed.includes(transport)) closed.push({ transport, why: "not allowed in config.yaml" });
    else if (why === undefined) open.push(transport);
    else closed.push({ transport, why });
  };
  say("native", offer.kind === "offered" ? undefined : offer.why);
  say("hook", whyNoHook(session));
  say("paste", whyNoPaste(session, reading));
  const readiness = session.readiness();
  const path = await pathOf(context, session);
  return {
    id: record.id,
    agent: record.agent,
    program: record.program,
    ...present({ version: record.version, unproven: session.unproven }),
    hooked: record.hooked,
    transports: open,
    closed,
    reading:
      reading.kind === "composer"
        ? `composer, ${reading.draft.kind === "empty" ? "empty" : "with a draft"}`
        : reading.kind,
    readiness: readiness.kind,
    because: readiness.because,
    ...present({ path }),
    ...(session.suspension === undefined ? {} : { suspended: true }),
  };
}

function whyNoPaste({ profile }: LiveSession, reading: Reading): string | undefined {
  if (profile.composer === "persons-only") return "nothing is typed into this program";
  return reading.kind === "unknown" ? `its screen cannot be read: ${reading.why}` : undefined;
}

/** Undefined if the system does not tell. */
async function pathOf({ processes }: OfficeContext, { identity }: LiveSession): Promise<string | undefined> {
  try {
    return (await processes.environment(identity.agentPid, ["PATH"])).PATH;
  } catch {
    return undefined;
  }
}
