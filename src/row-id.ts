import { randomUUID } from 'node:crypto';

/**
 * An id for a request or a row that is stored: a UUID of version 7, which begins with the time. Rows of the same
 * time lie side by side in an index by id; random ids touch a page of it for each row, which costs
 * a database more than the row itself.
 */
export function newRowId(): string {
  const now = Date.now();
  if (now !== writtenTime) {
    const time = now.toString(16).padStart(12, '0');
    writtenTime = now;
    timePart = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  return timePart + randomUUID().slice(15);
}

/** The time of the last id, and how it is written. */
let writtenTime = 0;
let timePart = '';
