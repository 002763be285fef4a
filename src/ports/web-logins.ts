import type { CodeVerdict } from "../core/web/login-code.ts";

/** What a logged-in browser shows. Several cookies: another server on the same host name may have set one like ours. */
export interface WebProof {
  readonly cookies: readonly string[];
  readonly key: string;
}

export interface WebCaller {
  readonly browser: string;
  readonly host: string;
}

export type LoggedIn =
  | { readonly kind: "in"; readonly id: string; readonly cookie: string; readonly key: string }
  | { readonly kind: "out"; readonly code: Exclude<CodeVerdict, "good"> };

/** Who may use the dashboard, as a door sees it. */
export interface WebLogins {
  /** Uses up the code. */
  logIn(code: string, caller: WebCaller): Promise<LoggedIn>;
  /** Whether one of them belongs to a browser that is logged in. */
  knows(cookies: readonly string[]): boolean;
  /** The session that both belong to; it counts as used now. */
  holder(proof: WebProof): string | undefined;
  logOut(id: string): Promise<void>;
  /** Called when browsers have been logged out. */
  onLoggedOut(hear: () => void): void;
}
