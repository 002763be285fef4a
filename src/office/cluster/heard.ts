/** What a host says of itself, as it comes, and as it is kept. Whatever cannot be a name or a pattern is left out. */
import { isAgentName, splitAddress } from "../../core/address.ts";
import type { HostName } from "../../core/cluster/hosts.ts";
import type { Instant } from "../../core/message.ts";
import { present } from "../../core/present.ts";
import { type Pattern, parsePattern } from "../../core/routing/pattern.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { KnownHost } from "../../ports/cluster-store.ts";
import { type Announcement, announcementSchema } from "../../wire/cluster/parcels.ts";

export interface Heard {
  readonly said: Announcement;
  /** By which it was verified. */
  readonly key: string;
  /** As it came since this start: the same bytes need not be verified again, and most are said again and again. */
  readonly signed?: Uint8Array;
  heardAt: Instant;
  isUp: boolean;
}

export function knownHost(host: HostName, { said, key, heardAt }: Heard): KnownHost {
  return { host, heardAt, number: said.number, announcement: JSON.stringify({ key, said }) };
}

/** What another host says is shown to people and compared with names: whatever cannot be a name is left out. */
export function announcementIn(text: string): Announcement | undefined {
  const parsed = announcementSchema.safeParse(json(text));
  if (!parsed.success) return undefined;
  const agents = parsed.data.agents
    .filter(({ name }) => isAgentName(name))
    .map(({ name, program, state, sessions }) => ({
      name,
      state: sanitiseLine(state, 20),
      sessions: sessions.filter((id) => /^[0-9a-f]{4,16}$/u.test(id)),
      ...present({ program: program === undefined ? undefined : sanitiseLine(program, 40) }),
    }));
  const { person, ...said } = parsed.data;
  return { ...said, agents, ...present({ person: isPersonName(person) ? person : undefined }) };
}

function isPersonName(name = ""): boolean {
  return (
    splitAddress(`person/${name}`).kind === "person" && !name.includes("@") && sanitiseLine(name) === name
  );
}

export function keptIn(text: string): Pick<Heard, "key" | "said"> | undefined {
  const { key, said } = (json(text) ?? {}) as { readonly key?: unknown; readonly said?: unknown };
  const read = announcementSchema.safeParse(said);
  return typeof key === "string" && read.success ? { key, said: read.data } : undefined;
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readable(patterns: readonly string[]): readonly Pattern[] {
  return patterns.flatMap((text) => {
    try {
      return [parsePattern(text)];
    } catch {
      return [];
    }
  });
}
