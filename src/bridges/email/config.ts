/** The settings of this bridge, and what is wrong with them in a person's words. */
import { isIP } from "node:net";
import { BellhopError } from "../../core/errors.ts";
import { mailAddress } from "./addresses.ts";

/** As it stands in the config, with the secrets read. */
export interface EmailConfig {
  /** The bridge's own address: people write to it. */
  readonly address: string;
  /** What the mail provider puts first into Authentication-Results, or `*.` and the end of it. Without it nobody is believed. */
  readonly authservId?: string;
  readonly imap: ServerConfig & { readonly mailbox?: string };
  /** User and password are those of `imap` unless it has its own. */
  readonly smtp: Omit<ServerConfig, "user" | "password"> & Partial<Pick<ServerConfig, "user" | "password">>;
}

interface ServerConfig {
  readonly host: string;
  readonly port?: number;
  /**
   * `true`: TLS from the first byte. `false`: TLS by STARTTLS, which the server must offer; on this machine, no TLS.
   * Unset: by the port. Or the word for exactly one of these.
   */
  readonly secure?: boolean | MailServer["security"];
  readonly user: string;
  readonly password: string;
  /** A certificate (PEM) to trust, for a server that signed its own. */
  readonly ca?: string;
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "plain";
  readonly user: string;
  readonly password: string;
  readonly ca?: string;
}

export interface EmailSettings {
  readonly address: string;
  readonly authservId?: string;
  readonly imap: MailServer & { readonly mailbox: string };
  readonly smtp: MailServer;
}

const PORTS = { imap: { tls: 993, other: 143 }, smtp: { tls: 465, other: 587 } } as const;

/** One server's name, or `*.` and the domain of several. */
const AUTHSERV_ID = /^(?!\*\.[^.]*$)(?:\*\.)?[^*\s;=()"]{1,253}$/u;

/** Throws `config.invalid` for what cannot work. */
export function emailSettings(config: EmailConfig): EmailSettings {
  const address = mailAddress(config.address);
  if (address === undefined)
    throw invalid("address", "it is not an address", "Write one such as bot@example.com.");
  const { authservId } = config;
  if (authservId !== undefined && !AUTHSERV_ID.test(authservId)) {
    throw invalid(
      "authserv_id",
      "it is not a name such as mx.example.com",
      'Copy it from a mail that you got: the first word after "Authentication-Results:".',
    );
  }
  const { mailbox = "INBOX", ...imap } = config.imap;
  if (mailbox === "") throw invalid("imap.mailbox", "it is empty", "Leave it out for INBOX.");
  return {
    address,
    ...(authservId === undefined ? {} : { authservId }),
    imap: { ...server("imap", imap), mailbox },
    smtp: server("smtp", { user: imap.user, password: imap.password, ...config.smtp }),
  };
}

function server(kind: "imap" | "smtp", config: ServerConfig): MailServer {
  const { host, user, password, ca } = config;
  if (!/^[\p{L}\p{N}.:_-]{1,253}$/u.test(host)) {
    throw invalid(`${kind}.host`, "it is not the name of a server", `Write one such as ${kind}.example.com.`);
  }
  if (
    config.port !== undefined &&
    !(Number.isInteger(config.port) && config.port > 0 && config.port < 65_536)
  ) {
    throw invalid(`${kind}.port`, "it is not a port", "Leave it out, or write a number from 1 to 65535.");
  }
  if (user === "" || /[\r\n\0]/u.test(user)) {
    throw invalid(`${kind}.user`, "it is empty or has several lines", "Write the name that you log in with.");
  }
  if (password === "" || /[\r\n\0]/u.test(password)) {
    throw invalid(
      `${kind}.password`,
      "it is empty or has several lines",
      "Put the password into the file or the variable that the config names.",
    );
  }
  const security = securityOf(kind, config);
  const port = config.port ?? (security === "tls" ? PORTS[kind].tls : PORTS[kind].other);
  return { host, port, security, user, password, ...(ca === undefined ? {} : { ca }) };
}

/** A password goes over the network only under TLS, unless somebody wrote "plain". */
function securityOf(kind: "imap" | "smtp", { host, port, secure }: ServerConfig): MailServer["security"] {
  if (typeof secure === "string") return secure;
  if (secure === true || (secure === undefined && (port ?? PORTS[kind].tls) === PORTS[kind].tls))
    return "tls";
  return isThisMachine(host) ? "plain" : "starttls";
}

export function isThisMachine(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1" || host.toLowerCase() === "localhost";
}

function invalid(key: string, fault: string, next: string): BellhopError {
  return new BellhopError("config.invalid", { message: `bridges.email.${key}: ${fault}.`, next });
}
