/** What a host looks up, or does, for every message that may go elsewhere. */
import type { AdmittedHost } from "../../src/core/cluster/admission.ts";
import { parsePattern } from "../../src/core/routing/pattern.ts";
import { median } from "../rounds.ts";
import { agentOf, pathsOf, TEAM, type VirtualHost } from "./host.ts";

const LOOKUPS = 2_000;
const WILD_LOOKUPS = 20;
/** A short message, as a parcel. */
const LETTER_BYTES = 600;

export interface Lookups {
  /** The host that has an agent of this name. */
  readonly nameUs: number;
  /** A path that one other host hears. */
  readonly pathUs: number;
  /** A path that a team of hosts hears. */
  readonly teamUs: number;
  /** A path with a wildcard of its own. */
  readonly wildUs: number;
  /** One letter, sealed for one host. */
  readonly sealUs: number;
}

export function lookUp({ hosts, sealer }: VirtualHost, admitted: readonly AdmittedHost[]): Lookups {
  const count = admitted.length;
  // Not the first, which looks.
  const other = (at: number) => 1 + ((at * 7_919) % (count - 1));
  const paths = Array.from({ length: LOOKUPS }, (_, at) => {
    const { own, team } = pathsOf(other(at));
    return { own: parsePattern(own), team: parsePattern(team) };
  });
  const wild = parsePattern("project-1/**");
  const letter = new Uint8Array(LETTER_BYTES);
  const each = <T>(list: readonly T[], at: number): T => {
    const found = list[at % list.length];
    if (found === undefined) throw new Error("the list is empty");
    return found;
  };
  return {
    nameUs: perCall(LOOKUPS, (at) => expectCount(hosts.named(agentOf(other(at), 0)), 1, 1)),
    pathUs: perCall(LOOKUPS, (at) => expectCount(hosts.takersOf(each(paths, at).own), 1, 1)),
    teamUs: perCall(LOOKUPS, (at) =>
      expectCount(hosts.takersOf(each(paths, at).team), Math.min(TEAM, count) - 1, TEAM),
    ),
    wildUs: perCall(WILD_LOOKUPS, () => expectCount(hosts.takersOf(wild), 1, 1)),
    sealUs: perCall(Math.min(LOOKUPS, count - 1), (at) => {
      sealer.seal(letter, each(admitted, at + 1).key);
    }),
  };
}

const ROUNDS = 5;

function perCall(calls: number, call: (at: number) => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    for (let at = 0; at < calls; at += 1) call(at);
    return ((performance.now() - start) * 1_000) / calls;
  });
  return median(rounds);
}

/** What finds nothing is fast. */
function expectCount(found: readonly unknown[], least: number, most: number): void {
  if (found.length < least || found.length > most) throw new Error(`${found.length} were found`);
}
