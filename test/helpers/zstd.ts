/** Blocks hold at most 128 KiB. */
const maxBlock = 128 * 1024;
const blockTypes = { raw: 0, repeated: 1 } as const;

/** The header of a frame with a window of 1 MiB, whose size is not told. */
const frameHeader = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x50]);

function blockHeader(type: keyof typeof blockTypes, size: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (blockTypes[type] << 1) | Number(isLast), 0, 3);
  return header;
}

/** A zstd frame that holds bytes as they are: Node compresses so only from 22.15 on. */
export function zstdFrame(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes);
  const pieces: Buffer[] = [frameHeader];
  for (let start = 0; start === 0 || start < content.length; start += maxBlock) {
    const block = content.subarray(start, start + maxBlock);
    pieces.push(blockHeader('raw', block.length, start + maxBlock >= content.length), block);
  }
  return Buffer.concat(pieces);
}

/** Some bytes that decompress to `blocks` times 128 KiB of spaces: 4 bytes a block. */
export function zstdBomb(blocks: number): Buffer {
  const pieces: Buffer[] = [frameHeader];
  for (let block = 1; block <= blocks; block++)
    pieces.push(blockHeader('repeated', maxBlock, block === blocks), Buffer.from(' '));
  return Buffer.concat(pieces);
}
