/** The engine keeps no more for that host: the bag is not there, and will not be. Any other failure leaves that open. */
export class NotStored extends Error {
  override readonly name = "NotStored";
}
