import { BellhopError } from "../../core/errors.ts";

/** What the bridge needs; who is admitted is the office's. */
export interface SlackSettings {
  /** Begins with `xapp-`, with the scope `connections:write`: it opens the connection. */
  readonly appToken: string;
  /** Begins with `xoxb-`: it speaks. */
  readonly botToken: string;
  /** The word for the workspace in paths; without it the workspace's id. */
  readonly workspace?: string;
  /** Another server that speaks Slack's Web API: a rehearsal. */
  readonly apiUrl?: string;
}

const APP_TOKEN = /^xapp-[\w-]{1,250}$/;
const BOT_TOKEN = /^xoxb-[\w-]{1,250}$/;
const WORKSPACE = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

/** Throws `config.invalid`; never with a token in its words. */
export function checkSlackSettings({ appToken, botToken, workspace, apiUrl }: SlackSettings): SlackSettings {
  const [app, bot] = [appToken.trim(), botToken.trim()];
  if (!APP_TOKEN.test(app))
    throw invalid(
      'This is not an app-level token of Slack: those begin with "xapp-".',
      'Make one with the scope connections:write at https://api.slack.com/apps, "Basic Information", "App-Level Tokens".',
    );
  if (!BOT_TOKEN.test(bot))
    throw invalid(
      'This is not the token of a Slack bot: those begin with "xoxb-".',
      'Install the app in your workspace at https://api.slack.com/apps, "OAuth & Permissions", and copy the "Bot User OAuth Token".',
    );
  if (workspace !== undefined && !WORKSPACE.test(workspace))
    throw invalid(
      "bridges.slack.workspace is the word for your workspace in paths: up to 64 letters, digits, dots and hyphens.",
      "Leave it out to use the workspace's id.",
    );
  return {
    appToken: app,
    botToken: bot,
    ...(workspace === undefined ? {} : { workspace }),
    ...(apiUrl === undefined ? {} : { apiUrl: checkedUrl(apiUrl) }),
  };
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !isWeb || url.username !== "" || url.search !== "" || url.hash !== "")
    throw invalid(
      "bridges.slack.api_url must be the address of a server, such as https://slack.com/api.",
      "Leave it out to use Slack itself.",
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}/`;
}

function invalid(message: string, next: string): BellhopError {
  return new BellhopError("config.invalid", { message, next });
}
