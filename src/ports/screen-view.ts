/**
 * A live copy of a terminal's screen, for people who look at it from elsewhere. Looking changes nothing: not the
 * terminal's size, and not how fast its program runs, however slow the reader is.
 */

export interface Picture {
  readonly cols: number;
  readonly rows: number;
  /** What a terminal of this size must be sent to show the same and to continue from there. It resets first. */
  readonly data: string;
  readonly title: string;
}

export interface ViewEar {
  /** Everything before it is void. Comes first, after a new size, and after `again`. */
  drew(picture: Picture): void;
  /** Follows the last picture, in whole characters. */
  wrote(text: string): void;
  /** Somebody at the terminal itself has taken its keyboard, or has given it back. */
  takenElsewhere(is: boolean): void;
  /** Called once, as the last event, unless the view was closed: what is looked at no longer exists. */
  over(why: string): void;
}

export type KeyboardOutcome =
  | { readonly kind: "taken" }
  /** Somebody at the terminal itself has it. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "refused"; readonly why: string };

export type TypedOutcome =
  | { readonly kind: "typed" }
  /** Nothing was typed. `lost`: nothing will be, so the keyboard is given back. */
  | { readonly kind: "refused"; readonly why: string; readonly keyboard: "kept" | "lost" }
  /** No answer came: the keys may or may not have been typed. */
  | { readonly kind: "unknown"; readonly why: string };

export interface View {
  /** The reader cannot take more: nothing is written until `again`. */
  rest(): void;
  /** Asks for a new picture; nothing is written before it comes. */
  again(): void;
  /** While it is taken, nothing else is typed there but what cannot wait. Callers see to it that one person has it. */
  takeKeyboard(): Promise<KeyboardOutcome>;
  giveKeyboardBack(): void;
  /** What a terminal sends for a person's keys. Only with the keyboard taken, and under the terminal's lock. */
  type(text: string): Promise<TypedOutcome>;
  /** Gives the keyboard back, too. */
  close(): void;
}
