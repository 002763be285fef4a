import { BellhopError } from "../core/errors.ts";
import type { ProcessInfo } from "../ports/processes.ts";
import type { Profile } from "../ports/profile.ts";
import { claudeProfile, createClaudeProfile } from "./claude.ts";
import { codexProfile } from "./codex.ts";
import { type GenericDefinition, genericProfile } from "./generic.ts";
import { opaqueProfile } from "./opaque.ts";

const claudeWithVim = createClaudeProfile({ editing: "vim" });

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

  recognise(
    tree: readonly ProcessInfo[],
  ): { readonly program: string; readonly process: ProcessInfo } | undefined {
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
