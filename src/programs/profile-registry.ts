import { BellhopError } from "../core/errors.ts";
import type { ProcessInfo } from "../ports/processes.ts";
import type { Profile, RecognisedProgram } from "../ports/profile.ts";
import { opaqueProfile } from "./generic/opaque.ts";
import { type GenericDefinition, genericProfile } from "./generic/profile.ts";
import type { Program } from "./program.ts";
import { isUnder, withoutJob } from "./program-process.ts";

/** More than anybody suspends, and a limit for a tree without job numbers. */
const MOST_IN_ONE_TERMINAL = 8;

type ShelvedProgram = Pick<Program, "profile" | "profileForVim">;

/** Every profile in force. What the owner taught comes first: they know their programs. */
export class ProfileRegistry {
  readonly #programs: readonly ShelvedProgram[];
  #taught: readonly Profile[];

  constructor(programs: readonly ShelvedProgram[], taught: readonly GenericDefinition[]) {
    this.#programs = programs;
    this.#taught = taught.map(genericProfile);
  }

  /** All of them or none: what is wrong with one leaves the registry as it was. */
  tryReplace(taught: readonly GenericDefinition[]): BellhopError | undefined {
    try {
      this.#taught = taught.map(genericProfile);
      return undefined;
    } catch (error) {
      if (error instanceof BellhopError) return error;
      throw error;
    }
  }

  byName(name: string, editing: "plain" | "vim" = "plain"): Profile | undefined {
    if (name === opaqueProfile.name) return opaqueProfile;
    const taught = this.#taught.find((one) => one.name === name);
    if (taught !== undefined) return taught;
    const program = this.#programs.find(({ profile }) => profile.name === name);
    return editing === "vim" ? (program?.profileForVim ?? program?.profile) : program?.profile;
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
    for (const profile of this.#taught) {
      const process = profile.recognise(tree);
      if (process !== undefined) return { program: profile.name, process };
    }
    const found = this.#programs.flatMap(({ profile }) => {
      const process = profile.recognise(tree);
      return process === undefined ? [] : [{ program: profile.name, process }];
    });
    // One that runs under another does not have the screen.
    return found.find(({ process }) => !found.some((other) => isUnder(process, other.process, tree)));
  }
}
