import { Parser } from 'htmlparser2';
import { HtmlScan, type ScannedPage } from './html-scan.js';

/** Text is parsed in pieces, between which the scan can end. */
const pieceLength = 16_384;
const maxScanMs = 1_000;

/**
 * Reads HTML once, in linear time and bounded memory, whatever it contains: at most 50,000
 * elements, of which at most 200 stand inside each other. What is beyond a bound is left out.
 * @param url the page's address, for relative links
 */
export function scanHtml(html: string, url: string, maxTextLength: number): ScannedPage {
  const scan = new HtmlScan(url, maxTextLength);
  const parser = new Parser(scan, { decodeEntities: true, lowerCaseTags: true });
  const endsAt = performance.now() + maxScanMs;
  let at = 0;
  for (; at < html.length && !scan.isFull && performance.now() < endsAt; at += pieceLength)
    parser.write(html.slice(at, at + pieceLength));
  if (at < html.length) scan.stop();
  parser.end();
  return scan.result();
}
