import type { AnnounceOutcome } from "../../../ports/terminal.ts";
import type { CommandOutcome } from "../control/control.ts";
import { messageLiteral, quote } from "../control/quote.ts";

/**
 * A message in the status line of the people who look at a pane. Pure: what to ask tmux, and what its answers mean.
 *
 * A key pressed while the line shows removes it and still reaches the program; with `-N` tmux would swallow the key.
 * Showing the line does not count as activity, so no gate takes it for typing.
 */
export const ANNOUNCEMENT_LIMITS = {
  characters: 200,
  /** If more people look at one pane, only the first are told. */
  viewers: 16,
  /** Time to read it. Meanwhile tmux draws nothing new for these people unless they press a key. */
  shownForMs: 4_000,
} as const;

/** Two replies: the pane's window, and a row for each client. The client's name comes last: it may contain slashes. */
export function viewerCommands(pane: string): string {
  return `display-message -p -t ${pane} "#{window_id}" ; list-clients -F "#{client_control_mode}/#{window_id}/#{client_name}"`;
}

type Viewers =
  /** Names of the clients through which people look at this window. */
  | { readonly kind: "viewers"; readonly clients: readonly string[] }
  | Exclude<AnnounceOutcome, { kind: "shown" }>;

export function readViewers(outcome: CommandOutcome): Viewers {
  const trouble = troubleIn(outcome);
  if (trouble !== undefined) return trouble;
  const [window, rows] = outcome.kind === "answered" ? outcome.blocks.map(({ lines }) => lines) : [];
  // tmux answers with an empty line for a pane that is not there.
  if (window?.join("") === "") return { kind: "gone" };
  const windowId = /^@\d+$/.exec(window?.[0] ?? "")?.[0];
  if (windowId === undefined || rows === undefined)
    return { kind: "unknown", cause: "tmux names its clients in an unknown form" };
  const person = `0/${windowId}/`;
  const clients = rows.filter((row) => row.startsWith(person)).map((row) => row.slice(person.length));
  return { kind: "viewers", clients: clients.slice(0, ANNOUNCEMENT_LIMITS.viewers) };
}

/** tmux reports no error for a client that has left in the meantime. */
export function announceCommands(clients: readonly string[], text: string): string {
  const line = quote(messageLiteral([...text].slice(0, ANNOUNCEMENT_LIMITS.characters).join("")));
  return clients
    .map((client) => `display-message -d ${ANNOUNCEMENT_LIMITS.shownForMs} -c ${quote(client)} -- ${line}`)
    .join(" ; ");
}

export function readAnnounced(outcome: CommandOutcome, clients: readonly string[]): AnnounceOutcome {
  return troubleIn(outcome) ?? { kind: "shown", to: clients.length };
}

function troubleIn(outcome: CommandOutcome): Extract<AnnounceOutcome, { kind: "unknown" }> | undefined {
  if (outcome.kind !== "answered") return { kind: "unknown", cause: outcome.cause };
  const failed = outcome.blocks.find((block) => !block.ok);
  return failed === undefined ? undefined : { kind: "unknown", cause: failed.lines.join(" ") };
}
