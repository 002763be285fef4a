/** What a shell can ask for at Tab. `recipient`: agents here and on other hosts. `waiting`: messages in the queue. */
export const OFFERS = ["agent", "recipient", "message", "waiting", "reminder", "host"] as const;
export type Offer = (typeof OFFERS)[number];

export function isOffer(word: string | undefined): word is Offer {
  return (OFFERS as readonly (string | undefined)[]).includes(word);
}
