import { BellhopError } from "../core/errors.ts";
import type { ProcessInfo } from "../ports/processes.ts";
import type { Profile, RecognisedProgram } from "../ports/profile.ts";
import { claudeProfile, createClaudeProfile } from "./claude/profile.ts";
import { codexProfile } from "./codex/profile.ts";
import { opaqueProfile } from "./generic/opaque.ts";
import { type GenericDefinition, genericProfile } from "./generic/profile.ts";
import { withoutJob } from "./program-process.ts";

const claudeWithVim = createClaudeProfile({ editing: "vim" });

/** More than anybody suspends, and an end for a tree that says nothing of jobs. */
const MOST_IN_ONE_TERMINAL = 8;

/** Every profile in force. What the owner taught comes first: they know their programs. */
export class ProfileShelf {
  #profiles: readonly Profile[];

  constructor(taught: readonly GenericDefinition[]) {
    this.#profiles = inForce(taught);
  }

  /** All of them or none: what is wrong with one leaves the shelf as it was. */
  tryReplace(taught: readonly GenericDefinition[]): BellhopError | undefined {
    try {
      this.#profiles = inForce(taught);
      return undefined;
    } catch (error) {
      if (error instanceof BellhopError) return error;
      throw error;
    }
  }

  byName(name: string, editing: "plain" | "vim" = "plain"): Profile | undefined {
    if (name === opaqueProfile.name) return opaqueProfile;
    const profile = this.#profiles.find((one) => one.name === name);
    return profile === claudeProfile && editing === "vim" ? claudeWithVim : profile;
  }

  /** The one in front first; behind it those that were suspended under it, the longest known first. */
  recognise(tree: readonly ProcessInfo[]): readonly RecognisedProgram[] {
    const found: RecognisedProgram[] = [];
    for (let rest = tree; found.length < MOST_IN_ONE_TERMINAL; ) {
      const one = this.#recogniseOne(rest);
      if (one === undefined) break;
      rest = withoutJob(rest, one.process);
      // A helper or a log reader in the background may look like the program; what a person has stopped was in front once.
      if (found.length === 0 || one.process.isStopped === true) found.push(one);
    }
    return found;
  }

  /** What a command will be once it runs. */
  programOf(argv: readonly string[]): string | undefined {
    const command = argv[0]?.split("/").at(-1) ?? "";
    const process = { pid: 1, startedAt: "", parentPid: 0, argv, command, foreground: true };
    return this.#recogniseOne([process])?.program;
  }

  #recogniseOne(tree: readonly ProcessInfo[]): RecognisedProgram | undefined {
    for (const profile of this.#profiles) {
      const process = profile.recognise(tree);
      if (process !== undefined) return { program: profile.name, process };
    }
    return undefined;
  }
}

function inForce(taught: readonly GenericDefinition[]): readonly Profile[] {
  return [...taught.map(genericProfile), claudeProfile, codexProfile];
}
