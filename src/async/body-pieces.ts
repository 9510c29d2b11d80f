/** Larger pieces stay as they are. */
const minOwnBytes = 1_024;
const maxSmallPieces = 256;

/**
 * The pieces of a body as they arrive. Consecutive small pieces are joined: a client that sends
 * single bytes would otherwise make a body take a hundred times its size.
 */
export class BodyPieces {
  readonly list: Buffer[] = [];
  /** Where the run of small pieces at the end of the list begins. */
  private smallFrom = 0;

  add(piece: Buffer): void {
    const { list } = this;
    list.push(piece);
    if (piece.length < minOwnBytes && list.length - this.smallFrom < maxSmallPieces) return;
    if (piece.length < minOwnBytes) list.push(Buffer.concat(list.splice(this.smallFrom)));
    this.smallFrom = list.length;
  }

  joined(): Buffer {
    return this.list.length === 1 ? this.list[0]! : Buffer.concat(this.list);
  }
}
