/** One agent: how it stands, what waits for it and why, and what can be done. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { BoardAgent, BoardSession } from "../../../src/wire/shapes/board.ts";
import { ActionBar } from "../acting/action-bar.tsx";
import { SayBox } from "../acting/say-box.tsx";
import { agentsByName, isKnown } from "../board/store.ts";
import { ownHeadline, reasonOf, stateOf } from "../overview/rows.ts";
import { allRows } from "../overview/shown.ts";
import { lazily } from "../places/lazily.tsx";
import { LinkToAgent } from "../places/link-to-agent.tsx";
import { TABS, type TabName } from "../places/place.ts";
import { PlaceLink } from "../places/place-link.tsx";
import { goTo, place, visit } from "../places/route.ts";
import { TEXT } from "../strings.ts";
import { now } from "../ui/clock.ts";
import { cursor, focusCursor } from "../ui/cursor.ts";
import { Shape } from "../ui/shape.tsx";
import { sinceInWords } from "../ui/since.ts";

const VIEWS = {
  conversation: lazily(async () => (await import("../conversation/conversation.tsx")).Conversation),
  terminal: lazily(async () => (await import("../terminal/terminal.tsx")).Terminal),
} as const satisfies Record<TabName, unknown>;

/** The focus goes back to where it came from. */
export function closeDetails(): void {
  goTo();
  if (cursor.value !== undefined) focusCursor(cursor.value);
}

export function Details() {
  const { value: there } = place;
  const [name, tab] = there.at === "agent" ? [there.name, there.tab] : [];
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (name !== undefined) title.current?.focus({ preventScroll: true });
  }, [visit.value]);
  if (name === undefined) return null;
  const agent = agentsByName.value.get(name);
  return (
    <aside class={tab === undefined ? "details" : "details wide"} aria-labelledby="details-title">
      <header>
        <h2 id="details-title" tabIndex={-1} ref={title}>
          {name}
        </h2>
        {agent?.paused === true && <span class="chip">{TEXT.paused}</span>}
        <button type="button" class="plain" onClick={closeDetails}>
          {TEXT.details.close}
        </button>
      </header>
      {agent === undefined ? (
        isKnown.value && <p class="nothing">{TEXT.details.unknown(name)}</p>
      ) : (
        <>
          <Tabs name={name} tab={tab} />
          <View key={visit.value} agent={agent} tab={tab} />
        </>
      )}
    </aside>
  );
}

function Tabs({ name, tab }: { readonly name: string; readonly tab: TabName | undefined }) {
  return (
    <nav class="tabs" aria-label={TEXT.tabs.title(name)}>
      <PlaceLink to={{ at: "agent", name }} isHere={tab === undefined}>
        {TEXT.tabs.facts}
      </PlaceLink>
      {TABS.map((one) => (
        <PlaceLink key={one} to={{ at: "agent", name, tab: one }} isHere={tab === one}>
          {TEXT.tabs[one]}
        </PlaceLink>
      ))}
    </nav>
  );
}

function View({ agent, tab }: { readonly agent: BoardAgent; readonly tab: TabName | undefined }) {
  if (tab === undefined) return <Agent agent={agent} />;
  const Chosen = VIEWS[tab];
  return <Chosen name={agent.name} />;
}

function Agent({ agent }: { readonly agent: BoardAgent }) {
  const { details } = TEXT;
  const { sessions, turns, takesTurns, name } = agent;
  const shown = sessions.length === 0 ? [undefined] : sessions;
  return (
    <>
      {shown.map((session, index) => (
        <section key={session?.id ?? name} class="session" aria-label={session?.label ?? name}>
          <Standing agent={agent} session={session} />
          <ActionBar agent={agent} session={session} isFirst={index === 0} />
        </section>
      ))}
      {turns.map(({ id, doing, state, startedAt }) => (
        <p key={id} class="turn">
          <Shape of="turn" /> {details.turn} {id}: {doing ?? state},{" "}
          {TEXT.since(sinceInWords(startedAt, now.value))}
        </p>
      ))}
      {takesTurns === true && <p class="quiet">{details.takesTurns}</p>}
      <SayBox to={sessions[0]?.id ?? name} name={name} label={TEXT.say.label(name)} />
    </>
  );
}

function Standing({
  agent,
  session,
}: {
  readonly agent: BoardAgent;
  readonly session: BoardSession | undefined;
}) {
  const { details } = TEXT;
  const state = stateOf(agent, session);
  const { queued, hold } = session ?? agent;
  const headline = session === undefined ? "" : ownHeadline(agent.name, session);
  return (
    <>
      {headline !== "" && <p class="headline">{headline}</p>}
      {session?.asks !== undefined && <p class="asks">{session.asks.text}</p>}
      <dl>
        <Fact term={details.state}>
          <Shape of={state} /> {TEXT.states[state]}
          {session !== undefined && `, ${TEXT.since(sinceInWords(session.since, now.value))}`}
        </Fact>
        {queued > 0 && (
          <Fact term={details.waiting}>
            {hold === undefined
              ? TEXT.waits(queued)
              : TEXT.held(TEXT.waits(queued), reasonOf(hold, agent), hold.release)}
          </Fact>
        )}
        {session !== undefined && <SessionFacts session={session} />}
      </dl>
    </>
  );
}

function SessionFacts({ session }: { readonly session: BoardSession }) {
  const { details } = TEXT;
  const { program, role, label, terminal, folder, branch, parent, drafts } = session;
  const parentName = parent === undefined ? undefined : nameOfSession(parent);
  return (
    <>
      {drafts > 0 && <Fact term={details.drafts}>{TEXT.drafts(drafts)}</Fact>}
      <Fact term={details.program}>{program}</Fact>
      {role !== undefined && <Fact term={details.role}>{role}</Fact>}
      {terminal !== null && (
        <Fact term={details.terminal}>
          {label} <span class="quiet">{terminal.kind}</span>
        </Fact>
      )}
      {folder !== undefined && <Fact term={details.folder}>{folder}</Fact>}
      {branch !== undefined && <Fact term={details.branch}>{branch}</Fact>}
      {parent !== undefined && (
        <Fact term={details.parent}>
          {parentName === undefined ? parent : <LinkToAgent name={parentName}>{parentName}</LinkToAgent>}
        </Fact>
      )}
    </>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function nameOfSession(id: string): string | undefined {
  return allRows.value.find(({ session }) => session?.id === id)?.agent.name;
}
