import { BellhopError } from "../core/errors.ts";
import type { ProcessInfo } from "../ports/processes.ts";
import type { Profile, RecognisedProgram } from "../ports/profile.ts";
import { opaqueProfile } from "./generic/opaque.ts";
import { type GenericDefinition, genericProfile } from "./generic/profile.ts";
import type { Program } from "./program.ts";
import { isUnder, withoutJob } from "./program-process.ts";

/** More than anyone suspends; bounds the search in a process tree without job numbers. */
const MOST_IN_ONE_TERMINAL = 8;

type ShelvedProgram = Pick<Program, "profile" | "profileForVim" | "proven">;

/** All active profiles. Those taught by the owner come first: owners know their programs best. */
export class ProfileRegistry {
  readonly #programs: readonly ShelvedProgram[];
  #taught: readonly Profile[];

  constructor(programs: readonly ShelvedProgram[], taught: readonly GenericDefinition[]) {
    this.#programs = programs.map(({ profile, profileForVim, proven }) => ({
      proven,
      profile: { ...profile, proven },
      ...(profileForVim === undefined ? {} : { profileForVim: { ...profileForVim, proven } }),
    }));
    this.#taught = taught.map(genericProfile);
  }

  /** All or none: an error in one leaves the registry unchanged. */
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

  /** The program in front first, then those suspended behind it, in the order in which they are recognised. */
  recognise(tree: readonly ProcessInfo[]): readonly RecognisedProgram[] {
    const found: RecognisedProgram[] = [];
    for (let rest = tree; found.length < MOST_IN_ONE_TERMINAL; ) {
      const one = this.#recogniseOne(rest);
      if (one === undefined) break;
      rest = withoutJob(rest, one.process);
      // A background helper or log reader may look like the program; a process that a person stopped was once in front.
      if (found.length === 0 || one.process.isStopped === true) found.push(one);
    }
    return found;
  }

  /** The program that a command will be recognised as once it runs. */
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
    // A program that runs under another one does not own the screen.
    return found.find(({ process }) => !found.some((other) => isUnder(process, other.process, tree)));
  }
}
