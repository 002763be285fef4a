/** Every word that the page says. */
import type { AttentionKind } from "../../src/core/attention.ts";
import type { HoldReason } from "../../src/core/message.ts";

const LOG_IN = "Run “bellhop open” in a terminal: it makes a link that logs this browser in.";

export const TEXT = {
  title: "Bellhop",
  agents: "Agents",
  connection: {
    connecting: "Connecting",
    live: "Live",
    checking: "Checking",
    stale: "Offline",
    "logged-out": "Logged out",
  },
  banner: {
    connecting: "Connecting to Bellhop…",
    checking: "Waiting for Bellhop to answer. Until then nothing can be pressed.",
    stale: "The connection is lost. You see how things were; it comes back by itself.",
  },
  loggedOut: { title: "You are not logged in", next: LOG_IN, unknown: "This browser is not logged in." },
  unreachable: { message: "Bellhop did not answer.", next: "Try again when the page is live." },

  pages: {
    home: "Agents",
    broker: "Broker",
    turns: "Turns",
    bridges: "Bridges",
    settings: "Settings",
  },
  tabs: {
    title: (name: string) => `Views of ${name}`,
    facts: "Facts",
    conversation: "Conversation",
    terminal: "Terminal",
  },
  lazy: {
    loading: "Loading…",
    failed: "This part of the page could not be loaded.",
    again: "Load the page again",
  },

  states: {
    blocked: "Asks you",
    busy: "Working",
    turn: "Automatic turn",
    starting: "Starting",
    idle: "Idle",
    unknown: "Unclear",
    exited: "Ended",
    absent: "Not running",
  },
  paused: "Paused",
  noFolder: "No folder",
  startedByYou: "Not started by an agent",
  startedBy: (name: string) => `Started by ${name}`,
  since: (words: string) => (words === "now" ? "just now" : `for ${words}`),
  waits: (count: number) => (count === 1 ? "1 waits" : `${count} wait`),
  /** `release`: as the daemon says it, such as “when its turn ends”. */
  held: (waits: string, why: string, release: string) => `${waits}: ${why}. The first goes out ${release}.`,
  reasons: {
    busy: "it is working",
    typing: "somebody types there",
    blocked: "it asks something",
    attached: "somebody is attached",
    paused: "it is paused",
    suspended: "it is suspended",
    offline: "nobody is there",
    turn: "its automatic turn",
    unknown: "its screen is unclear",
  } satisfies Record<HoldReason, string>,
  drafts: (count: number) => (count === 1 ? "1 draft of yours is kept" : `${count} drafts of yours are kept`),

  overview: {
    filter: "Filter agents",
    groupBy: "Group by",
    groupings: { folder: "Folder", state: "State", parent: "Parent", none: "Nothing" },
    counted: (shown: number, all: number) =>
      shown === all ? (all === 1 ? "1 agent" : `${all} agents`) : `${shown} of ${all} agents`,
    nothingFound: "No agent has these words.",
    clear: "Show all",
  },
  empty: {
    title: "No agents yet",
    run: "Start one in a terminal that Bellhop hosts:",
    runCommand: "bellhop run -- claude",
    found: "Or start Claude Code or Codex in tmux, as always: Bellhop finds it. Then say something to it:",
    sendCommand: 'bellhop send NAME "hello"',
    learn: "It appears here by itself.",
  },

  attention: {
    title: "Needs you",
    nothing: "Nothing needs you.",
    kinds: {
      permission: "Permission",
      question: "Question",
      "turn-end": "Finished",
      unconfirmed: "Unconfirmed",
      loop: "Loop stopped",
      budget: "Budget spent",
      "dead-letter": "No recipient",
    } satisfies Record<AttentionKind, string>,
    approve: "Approve",
    deny: "Deny",
    approved: "Approved: on its way to the terminal.",
    denied: "Denied: on its way to the terminal.",
    answering: "Answering…",
    inTerminal: "It cannot be answered from here. Answer it in its terminal.",
    /** `push`: in the browsers that want notifications. */
    toldOn: (places: readonly string[]) =>
      `Also told on ${places.map((place) => (place === "push" ? "your devices" : place)).join(", ")}`,
    reroute: "Send again",
    rerouted: "Sent again.",
    stillNobody: "It still has no recipient.",
    runNow: "Run now",
    running: "A turn starts now.",
    somebody: "Somebody",
    mail: (count: number) =>
      count === 1
        ? "1 unread message for you: bellhop inbox"
        : `${count} unread messages for you: bellhop inbox`,
    turnsOff: "Automatic turns are stopped: bellhop turns start",
    trouble: "Trouble",
    warning: "Warning",
  },

  say: {
    label: (name: string) => `Message to ${name}`,
    answer: "Answer in your own words",
    send: "Send",
    sending: "Sending…",
    delivered: "Delivered.",
    accepted: "Accepted.",
    waits: (release: string) => `Accepted. It waits: ${release}.`,
    key: "Ctrl+Enter sends",
  },

  actions: {
    title: (name: string) => `Actions for ${name}`,
    names: {
      pause: "Pause",
      unpause: "Unpause",
      rename: "Rename",
      stop: "Stop",
      restart: "Restart",
      resume: "Restart and resume",
      start: "Start again",
      "start-resumed": "Resume",
    },
    working: "…",
    done: {
      pause: "Paused: nothing but interrupts gets through.",
      unpause: "Unpaused: what waits goes out again.",
      rename: "Renamed.",
      stop: "Stopped.",
      restart: "Restarted.",
      resume: "Restarted, with its conversation.",
      start: "Started.",
      "start-resumed": "Started, with its conversation.",
    },
    sure: {
      stop: (name: string) => `Stop ${name}? Its program is asked to end, then made to.`,
      restart: (name: string) => `Restart ${name}? Its conversation starts anew.`,
      resume: (name: string) => `Restart ${name}, with its conversation?`,
    },
    notStopped: "It has not ended yet.",
    keep: "Cancel",
    newName: "New name",
    save: "Rename",
  },

  details: {
    close: "Close",
    program: "Program",
    role: "Role",
    terminal: "Terminal",
    folder: "Folder",
    branch: "Branch",
    parent: "Parent",
    waiting: "Waiting",
    drafts: "Drafts",
    turn: "Turn",
    state: "State",
    takesTurns: "A message starts an automatic turn.",
    unknown: (name: string) => `There is no agent “${name}”.`,
  },

  palette: {
    open: "Search",
    label: "Go to an agent, or do something",
    nothing: "Nothing found.",
    go: (name: string) => name,
    act: (action: string, name: string) => `${action}: ${name}`,
    group: (name: string) => `Group by ${name.toLowerCase()}`,
    keys: "Show the keys",
    attention: "Go to what needs you",
    page: (name: string) => `Go to ${name.toLowerCase()}`,
  },
  keys: {
    title: "Keys",
    open: "Keys",
    list: [
      ["Ctrl K, ⌘ K", "go to an agent, or do something"],
      ["/", "filter the agents"],
      ["j, k", "next, previous"],
      ["Enter", "open the agent"],
      ["a, d", "approve, deny the card that has the focus"],
      ["Esc", "close"],
      ["?", "these keys"],
    ],
  },

  wanted: {
    gone: "What the notification was about no longer needs you.",
    close: "OK",
  },
  logIn: {
    label: "Or paste the link here",
    button: "Log in",
  },
  settings: {
    loading: "Asking Bellhop…",
    notifications: {
      title: "Notifications on this device",
      what: "Who needs you and for what kind of thing, when you are away from your terminals. Never a command or a text.",
      off: "This device gets no notifications.",
      on: (service: string) => `This device gets notifications, through ${service}.`,
      turnOn: "Notify this device",
      turnOff: "Stop notifying this device",
      test: "Send a test",
      working: "One moment…",
      denied:
        "This browser does not let Bellhop show notifications. Allow them in its settings for this site.",
      dismissed: "Nothing was changed: the browser was not allowed to show notifications.",
      failed: (why: string) => `The browser could not register for notifications: ${why}`,
      noWorker: "it did not take the page’s service worker. Load the page again.",
      unsupported: {
        insecure: "Notifications need https, or the name bellhop.localhost on this machine.",
        "not-installed":
          "On an iPhone or iPad, first put Bellhop on the Home Screen: Share, then “Add to Home Screen”. Open it from there, and log in.",
        browser: "This browser cannot show notifications of web pages.",
      },
      outcomes: {
        accepted: (service: string) => `${service} took it: it appears on this device in a moment.`,
        gone: (service: string) =>
          `${service} no longer knows this device. Press “Notify this device” to register again.`,
        later: (service: string, why: string) =>
          `Not sent: ${service} is busy or out of reach; ${why}. Try again later.`,
        refused: (service: string, why: string) => `${service} refused it; ${why}.`,
      },
      last: (when: string, outcome: string) => `Last notification: ${when}, ${outcome}.`,
      lastOutcomes: {
        accepted: "sent",
        gone: "the device was gone",
        later: "out of reach",
        refused: "refused",
      },
    },
    quiet: {
      title: "Quiet hours",
      none: "None. You are told at any hour.",
      hours: (hours: string) => `${hours}, by the clock of the machine that Bellhop runs on.`,
      except: (kinds: readonly string[]) => `Even then you are told of: ${kinds.join(", ").toLowerCase()}.`,
      change: "Change them in config.yaml:",
      example: 'person: { quiet: "22:00-07:00", quiet_except: [permission] }',
    },
    install: {
      title: "As an app",
      installed: "Bellhop runs as an app.",
      ios: "iPhone, iPad: Share, then “Add to Home Screen”.",
      others: "Android and computers: the browser’s menu, then “Install” or “Add to Home screen”.",
    },
    logins: {
      title: "Browsers that are logged in",
      current: "This device",
      notified: "Gets notifications",
      at: (host: string, loggedIn: string, used: string) =>
        `At ${host}. Logged in ${loggedIn}, used ${used}.`,
      ago: (words: string) => (words === "now" ? "just now" : `${words} ago`),
      logOut: "Log out",
      logOutNamed: (name: string) => `Log out: ${name}`,
      logOutHere: "Log out here",
      sure: "Log this device out? To come back you need a new link.",
      keep: "Cancel",
      unknownBrowser: "A browser",
      on: (browser: string, system: string) => `${browser} on ${system}`,
    },
  },
} as const;

/** What notifications say. The service worker has these words, and no others. */
export const NOTICES = {
  tap: "Tap to see it.",
  somebody: "Somebody",
  kinds: {
    permission: (name: string) => `${name} asks for a permission`,
    question: (name: string) => `${name} has a question`,
    "turn-end": (name: string) => `${name} has finished`,
    unconfirmed: (name: string) => `A message to ${name} may not have arrived`,
    loop: () => "A loop was stopped",
    budget: (name: string) => `The budget of ${name} is spent`,
    "dead-letter": () => "A message has no recipient",
  } satisfies Record<AttentionKind, (name: string) => string>,
  often: (name: string) => `${name} asks again and again`,
  many: (count: number) => `${count} things need you`,
  test: "Notifications work",
  testBody: "This is how Bellhop tells you that something needs you.",
  unknown: "Something needs you",
} as const;
