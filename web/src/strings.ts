/** Every word that the page says. */
import type { AttentionKind } from "../../src/core/attention.ts";
import type { DeliveryState, Evidence, HoldReason, Priority, Transport } from "../../src/core/message.ts";

const LOG_IN = "Run “bellhop open” in a terminal: it makes a link that logs this browser in.";

function messagesInWords(count: number): string {
  return count === 1 ? "1 message" : `${count} messages`;
}

export const TEXT = {
  title: "Bellhop",
  agents: "Agents",
  connection: {
    connecting: "Connecting",
    live: "Live",
    stale: "Offline",
    "logged-out": "Logged out",
  },
  banner: {
    connecting: "Connecting to Bellhop…",
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
    toldOn: (places: readonly string[]) => `Also told on ${places.join(", ")}`,
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

  copy: { copy: "Copy", done: "Copied.", failed: "This browser does not allow it here." },
  conversation: {
    title: (name: string) => `Messages to and from ${name}`,
    loading: "Loading…",
    nothing: (name: string) =>
      `No messages yet. What you write to ${name}, and what it writes, appears here.`,
    newer: "To the newest",
    states: {
      queued: "waits",
      delivering: "on its way",
      unconfirmed: "not confirmed",
      delivered: "delivered",
      read: "read",
      replied: "answered",
      expired: "expired",
      cancelled: "cancelled",
      failed: "failed",
    } satisfies Record<DeliveryState, string>,
    evidence: {
      submitted: "submitted",
      transcript: "in its session file",
      "queued-in-agent": "queued in its program",
      screen: "seen on its screen",
      accepted: "accepted",
    } satisfies Record<Evidence, string>,
    proofs: {
      submitted: "its prompt was reported as submitted",
      transcript: "it stands in the session file",
      "queued-in-agent": "the program has it in its own queue",
      screen: "the screen showed it above an empty composer",
      accepted: "its receiver said so",
    } satisfies Record<Evidence, string>,
    transports: {
      native: "by its program's inbox",
      hook: "by a hook",
      paste: "typed",
      doorbell: "told to the person",
      bridge: "by a bridge",
      receive: "taken",
      headless: "in a turn",
    } satisfies Record<Transport, string>,
    priorities: {
      interrupt: "Interrupt",
      normal: "Normal",
      "idle-first": "First when idle",
      idle: "When idle",
    } satisfies Record<Priority, string>,
    waits: (why: string) => `waits: ${why}`,
    heldBack: "held back",
    released: "goes out next",
    perhapsTwice: "perhaps twice",
    to: "to",
    answers: (id: string) => `answers #${id}`,
    body: "Text",
    all: (characters: number) => `Show all ${characters.toLocaleString("en")} characters`,
    fold: "Fold",
    receipts: "What became of it",
    because: "Why it waits",
    keptAs: "Also kept as",
    answer: "Answer",
    keys: "keys, without a header",
  },
  queue: {
    title: (count: number) => (count === 1 ? "1 message waits" : `${count} messages wait`),
    more: (count: number) => `Show ${count} more`,
    goesOut: (release: string) => `It goes out ${release}.`,
    priority: "Priority",
    priorityOf: (id: string) => `Priority of #${id}`,
    actions: {
      up: "Up",
      down: "Down",
      now: "Now",
      hold: "Hold",
      unhold: "Unhold",
      cancel: "Cancel",
    },
    labels: {
      up: (id: string) => `Move #${id} up`,
      down: (id: string) => `Move #${id} down`,
      now: (id: string) => `Deliver #${id} now`,
      hold: (id: string) => `Hold #${id} back`,
      unhold: (id: string) => `Let #${id} wait by the rules again`,
      cancel: (id: string) => `Cancel #${id}`,
    },
    done: {
      now: (id: string) => `#${id} goes out next.`,
      hold: (id: string) => `#${id} is held back.`,
      unhold: (id: string) => `#${id} waits by the rules again.`,
      cancel: (id: string) => `#${id} is cancelled.`,
      priority: (id: string, priority: string) => `#${id}: ${priority.toLowerCase()}.`,
      moved: (id: string, place: number, count: number) => `#${id} is number ${place} of ${count} now.`,
    },
    takesPriority: "A message that is moved takes on the priority of the one that it is put beside.",
  },
  kept: {
    title: (count: number) => (count === 1 ? "A text of yours is kept" : `${count} texts of yours are kept`),
    when: (when: string) => `from its composer, ${when}`,
    inexact: "as far as the screen showed it",
    soon: "Bellhop puts it back itself.",
    restore: "Put it back",
    restored: "It stands in its composer again.",
    discard: "Discard",
    discarded: "Discarded.",
  },
  composer: {
    label: (name: string) => `Message to ${name}`,
    priority: "Priority",
    attach: "Attach files",
    remove: (name: string) => `Remove ${name}`,
    tooMuch: (most: string) => ({
      message: `Files may have ${most} together.`,
      next: "Put larger ones where the agent can read them, and send the path.",
    }),
    tooMany: (most: number) => ({
      message: `One message takes at most ${most} files.`,
      next: "Send the others with the next one.",
    }),
    unreadable: (name: string) => ({
      message: `${name} could not be read.`,
      next: "Choose it again: it may have changed.",
    }),
    answering: (id: string) => `Answers #${id}`,
    notAnswering: "Not an answer",
    names: "Names",
    offered: (count: number) => (count === 1 ? "1 name: Enter takes it" : `${count} names: up, down, Enter`),
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

  terminal: {
    none: "It has no terminal.",
    which: "Terminal",
    opening: "Opening the terminal…",
    screenOf: (label: string) => `Terminal ${label}`,
    textOf: (label: string) => `Text of ${label}`,
    asText: "As text",
    take: "Take the keyboard",
    giveBack: "Give the keyboard back",
    leave: "Ctrl+\\ gives it back. Messages wait meanwhile.",
    keyboard: (whose: "free" | "mine" | "taken", holder: string | undefined) =>
      whose === "free"
        ? "You are looking"
        : whose === "mine"
          ? "You have the keyboard"
          : `${holder ?? "Somebody"} has the keyboard`,
    ended: (why: string) => `This is how it looked at the end: ${why}`,
    pasteRefused:
      "Nothing was pasted: these are several lines, and the program might take each for itself. Send them as a message.",
    bar: "Keys",
    keys: {
      esc: "Escape",
      tab: "Tab",
      shiftTab: "Shift Tab",
      up: "Up",
      down: "Down",
      left: "Left",
      right: "Right",
      enter: "Enter",
      interrupt: "Control C",
    },
    text: "Text for the terminal",
    type: "Type",
  },

  broker: {
    you: "you",
    heard: "Who hears what",
    filter: "Filter paths and agents",
    nothingFound: "No path has these words.",
    counted: (count: number, since: string) => `${messagesInWords(count)} since ${since}`,
    messages: (count: number) => messagesInWords(count),
    hearers: (count: number) => (count === 1 ? "1 hears it" : `${count} hear it`),
    sessionOf: (agent: string, session: string) => `${agent}, session ${session}`,
    how: { address: "its own address", asked: "subscribed", declared: "subscribed in config.yaml" },
    listening: (count: number) => (count === 1 ? "1 program listens now" : `${count} programs listen now`),
    moreLines: (count: number) => `${count} more lines: filter to see them.`,
    moreSubscriptions: (count: number) => `Only the first ${count} subscriptions are shown.`,
    noSubscriptions:
      "Nobody is subscribed to anything: everyone gets only what is sent to their own address. Let an agent hear a channel:",
    subscribeCommand: 'bellhop sub add NAME "slack/team/#general"',

    tryIt: "Try a path",
    path: "Path",
    pathExample: "slack/team/#general",
    from: "From",
    whoWould: "Who would get this?",
    tryTeach: "* stands for one segment of a path, ** for any number. Nothing is sent.",
    wouldGet: (count: number) =>
      count === 1 ? "1 would get a message to" : `${count} would get a message to`,
    nobody: (reason: string) => `Nobody would get it, because ${reason}:`,
    because: (why: string) => `because ${why}.`,
    moreRecipients: (count: number) => `and ${count} more`,

    deadLetters: "Dead letters",
    noLetters:
      "None. A message that nobody gets is kept here, until somebody subscribes to its path and you send it again.",
    reroute: (shortId: string) => `Send #${shortId} again`,
    rerouteAll: "Send all again",
    rerouted: (sent: number, left: number) =>
      [
        sent > 0 ? `${sent} sent again.` : "",
        left > 0 ? (left === 1 ? "1 still has no recipient." : `${left} still have no recipient.`) : "",
      ]
        .filter((part) => part !== "")
        .join(" "),
    clear: "Delete all",
    clearSure: (count: number) =>
      count === 1
        ? "Delete the dead letter for good?"
        : `Delete all dead letters for good? You see ${count}.`,
    cleared: (count: number) => `${count} deleted.`,
    onlyFrom: (name: string) => `Only from ${name}.`,

    talks: "Who writes to whom",
    window: "How far back",
    windows: { quarter: "15 min", hour: "1 hour", day: "24 hours", all: "All" },
    talkedSince: (since: string) => `since ${since}`,
    noTalks: "Nobody wrote to anybody in this time. Write to an agent:",
    others: (count: number) => `${count} others`,
    edge: (from: string, to: string, count: number) => `${from} → ${to}: ${messagesInWords(count)}`,
    node: (name: string, sent: number, received: number) => `${name}: ${sent} sent, ${received} received`,
    leftOut: (lines: number, count: number) =>
      `${lines === 1 ? "1 thinner line is" : `${lines} thinner lines are`} not drawn (${messagesInWords(count)}).`,
    columns: { from: "From", to: "To", messages: "Messages" },
    show: (from: string, to: string, count: number) => `${count}: show those from ${from} to ${to}`,
    allPairs: (count: number) => `Show all ${count} pairs`,
    otherPairs: (pairs: number, count: number) => `and ${pairs} more pairs with ${messagesInWords(count)}`,
    between: (from: string, to: string) => `From ${from} to ${to}`,
    noneBetween: "None among its newest messages.",
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
