/**
 * The paste rung: composer read → guard → final gate inside the terminal → proof. Called by the terminal endpoint
 * under the terminal's lock. It types only where it has just read an empty composer or a draft it can keep, and never
 * twice.
 */
import { type GuardAction, guardStep, RETRY_AFTER_REFUSAL_MS } from "../../../../core/readiness/guard.ts";
import type { Batch, Handover } from "../../../../ports/endpoint.ts";
import { type AsyncWalk, step, walkAsync } from "../../../base/walk.ts";
import type { Observation } from "../../../presence/observation.ts";
import { holdFor, holdForScreen } from "../../gatekeeping.ts";
import type { RungParts, RungResult } from "../rung.ts";
import { deliverOverDraft } from "./over-draft.ts";
import { keyboardFor, type PasteParts, type Place } from "./place.ts";
import { composePrompt, type Prompt } from "./prompt.ts";
import { typePrompt } from "./typing.ts";

const STANDS_STILL_MS = 2_000;

/** Each of the later fields is set by one step and read by later ones; the list below has their order. */
interface Looking {
  readonly parts: PasteParts;
  readonly batch: Batch;
  observation: Observation;
  action: Exclude<GuardAction, { readonly do: "hold" }>;
  place: Place;
  prompt: Prompt;
}

/** The steps before the first key; `typing.ts` has those that type. */
const LOOKING: AsyncWalk<Looking, RungResult> = [
  step("paste.look", look),
  step("paste.heed-screen", heedScreen),
  step("paste.guard", heedGuard),
  step("paste.heed-draft-set-aside", heedDraftSetAside),
  step("paste.find-composer", findComposer),
  step("paste.compose", compose),
];

export async function deliverPaste(rung: RungParts, batch: Batch, handover: Handover): Promise<RungResult> {
  const parts: PasteParts = { ...rung, keyboard: keyboardFor(batch) };
  const looking = { parts, batch } as Looking;
  const held = await walkAsync(parts.context, LOOKING, looking);
  if (held !== undefined) return held;
  const { action, place, prompt } = looking;
  if (action.do === "keep") return deliverOverDraft({ parts, handover, prompt, place, draft: action.draft });
  const injection = parts.session.profile.inject(prompt.text, place.observation.reading);
  return (await typePrompt({ parts, handover, prompt, place, injection, gate: "as-seen" })).result;
}

async function look(looking: Looking): Promise<undefined> {
  const { session, looked } = looking.parts;
  looking.observation = await session.observeAnew(looked);
}

function heedScreen({ parts, observation }: Looking): RungResult | undefined {
  return holdForScreen(observation, parts.context, parts.keyboard) ?? holdUnproven(parts);
}

/** A screen that a release draws in another way may look idle for a moment. */
function holdUnproven({ session, context }: PasteParts): RungResult | undefined {
  const { unproven, stillForMs } = session;
  if (unproven === undefined || stillForMs >= STANDS_STILL_MS) return undefined;
  const release = `when its screen has stood still for two seconds: ${unproven}`;
  return holdFor(context, "unknown", release, STANDS_STILL_MS - stillForMs);
}

function heedGuard(looking: Looking): RungResult | undefined {
  const action = stepGuard(looking);
  if (action.do === "hold") {
    return { kind: "hold", reason: action.reason, release: action.release, retryAt: action.lookAgainAt };
  }
  looking.action = action;
  return undefined;
}

function stepGuard({ parts, batch, observation }: Looking): GuardAction {
  const { session, context } = parts;
  const { reading } = observation;
  const settings = context.settings();
  const keeping = session.profile.draftKeeping(session.record.version, reading);
  const stashed = reading.kind === "composer" && reading.stash !== "none";
  const [guard, action] = guardStep(session.guard, reading, context.clock.now(), {
    staleAfterMs: settings.inputStaleMs,
    pollEveryMs: settings.inputPollMs,
    skipWaiting: batch.items.some(
      ({ delivery }) => delivery.priority === "interrupt" || delivery.release === "now",
    ),
    cannotKeep:
      keeping.how === "none"
        ? keeping.why
        : stashed
          ? "its stash already holds another draft"
          : parts.drafts.whyNot(session, keeping, reading),
  });
  session.guard = guard;
  return action;
}

/** A draft that was set aside before is restored first. */
function heedDraftSetAside({ parts, observation }: Looking): RungResult | undefined {
  const { session, context, drafts } = parts;
  const astray = drafts.whyWait(session, observation.reading);
  if (astray === undefined) return undefined;
  return holdFor(context, "typing", astray, RETRY_AFTER_REFUSAL_MS);
}

function findComposer(looking: Looking): RungResult | undefined {
  const { observation } = looking;
  const { screen, reading } = observation;
  if (screen === undefined || reading.kind !== "composer") return { kind: "not-here", why: "no composer" };
  looking.place = { observation, screen };
  return undefined;
}

async function compose(looking: Looking): Promise<RungResult | undefined> {
  const { parts, batch, place } = looking;
  const prompt = await composePrompt(parts, batch, place.observation.reading, place.screen);
  if ("kind" in prompt) return prompt;
  looking.prompt = prompt;
  return undefined;
}
