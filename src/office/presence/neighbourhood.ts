/** What the rooms ask about other hosts. Without a cluster there is none, and nothing of it is loaded. */
import type { HostRight } from "../../core/cluster/admission.ts";
import { type Elsewhere, type HostName, hostMailbox, splitHost } from "../../core/cluster/hosts.ts";
import { lackedThere } from "../../core/cluster/lacking.ts";
import { hostBehind, hostOfSpeaker } from "../../core/cluster/speakers.ts";
import type { BellhopError } from "../../core/errors.ts";
import type { Address } from "../../core/message.ts";
import type { HearingElsewhere } from "../../core/routing/across-hosts.ts";
import type { ListedElsewhere } from "../../wire/shapes/sessions.ts";

/** `hosts()`: those that are admitted, by name. `isAdmitted`: messages may go there; it need not be running. */
export interface Neighbourhood extends HearingElsewhere {
  /** Whether what this host sends may do this here. */
  may(host: HostName, right: HostRight): boolean;
  /** Why nothing can go to this host now, in a person's words. */
  obstacle(host: HostName): string | undefined;
  /** Whether this agent's host is up, has said who is there, and has neither this agent nor anybody who hears its mail. */
  lacks(there: Elsewhere): boolean;
  /** The agents of all admitted hosts, by what those last said. */
  listed(): readonly ListedElsewhere[];
  /** What the others are told may be different now: who is here, or what somebody subscribes to. */
  changed(): void;
}

/** One for the whole office: the cluster room fills it when a cluster opens, and empties it when this host leaves. */
export class Neighbours {
  #neighbourhood: Neighbourhood | undefined;

  get current(): Neighbourhood | undefined {
    return this.#neighbourhood;
  }

  set(neighbourhood: Neighbourhood | undefined): void {
    this.#neighbourhood = neighbourhood;
  }

  changed(): void {
    this.#neighbourhood?.changed();
  }

  /** Whom an address means that names another host. */
  elsewhere(address: Address): Elsewhere | undefined {
    const there = this.#neighbourhood;
    if (there === undefined) return undefined;
    const found = splitHost(address);
    return found === undefined || found.host === there.host ? undefined : found;
  }

  /** Why what is sent to this address would be sent in vain, as far as its host has said. */
  lacking(address: Address): BellhopError | undefined {
    const there = this.elsewhere(address);
    if (there === undefined || this.#neighbourhood?.lacks(there) !== true) return undefined;
    return lackedThere(there, this.#neighbourhood.agentsOf(there.host));
  }

  /** The same address, without the name of this host. */
  withoutOwnHost(address: Address): Address {
    const there = this.#neighbourhood;
    if (there === undefined) return address;
    const found = splitHost(address);
    return found?.host === there.host ? found.address : address;
  }

  /**
   * What a message waits for that may not start a turn without a terminal, because its host may not: in a person's
   * words, here and there. `name`: what `queue now` is given. Undefined: it may.
   */
  keptFromTurns(from: Address, name: string): string | undefined {
    const host = hostBehind(from);
    if (host === undefined || this.#neighbourhood?.may(host, "turns") === true) return undefined;
    const here = this.#neighbourhood === undefined ? "here" : `on ${this.#neighbourhood.host}`;
    const isTold = hostOfSpeaker(from) === undefined;
    const why = `${isTold ? `it says what ${host} said, and ` : ""}${host} may not start turns ${here}`;
    return `when the owner lets it go, because ${why}: bellhop queue now ${name}`;
  }

  /** Whether keys of this host may be pressed, and it may see what they would answer: as it is admitted now. */
  mayPress(host: HostName): boolean {
    return this.#neighbourhood?.may(host, "raw") === true;
  }

  /** The mailbox from which a message for this address goes: its host is another one, and admitted. */
  mailboxFor(address: Address): Address | undefined {
    const found = this.elsewhere(address);
    if (found === undefined || this.#neighbourhood?.isAdmitted(found.host) !== true) return undefined;
    return hostMailbox(found.host);
  }
}
