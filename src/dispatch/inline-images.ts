import pLimit from 'p-limit';
import type { ChatMessage, ChatRequest, ContentPart } from '../completion.js';
import { GatewayError } from '../errors.js';
import { actualImageType } from '../providers/image-type.js';

/** Reads images of the web for providers that do not. */
export interface ImageSource {
  /** How many images one request may have. */
  readonly maxImages: number;
  /** The largest image that `read` gives. */
  readonly maxBytes: number;
  /** @throws Error whose message may be told: it names the host alone */
  read(url: string): Promise<Buffer>;
}

/** Counts bytes as in progress until the request is over. @throws GatewayError without room */
export type HoldBytes = (bytes: number) => void;

const maxAtOnce = 4;

/**
 * A request with the bytes of the images that its messages name by an address.
 * @param addresses matches those that the provider does not open
 * @returns the request itself where it has none
 * @throws GatewayError `request_refused` for an image that cannot be read, and for too many of
 * them; what `hold` throws
 */
export function inlineImages(
  request: ChatRequest,
  addresses: RegExp,
  source: ImageSource,
  hold: HoldBytes,
): ChatRequest | Promise<ChatRequest> {
  const urls = new Set(request.messages.flatMap((message) => urlsIn(message, addresses)));
  if (urls.size === 0) return request;
  if (urls.size > source.maxImages)
    throw refusal(`has more than ${source.maxImages} images that the provider does not open`);
  return withBytes(request, [...urls], source, hold);
}

const partsOf = ({ content }: ChatMessage): readonly ContentPart[] =>
  Array.isArray(content) ? content : [];

const urlsIn = (message: ChatMessage, addresses: RegExp): string[] =>
  partsOf(message).flatMap(({ image_url: image }) =>
    image && addresses.test(image.url) ? [image.url] : [],
  );

async function withBytes(
  request: ChatRequest,
  urls: readonly string[],
  source: ImageSource,
  hold: HoldBytes,
): Promise<ChatRequest> {
  const limit = pLimit(maxAtOnce);
  const read = await Promise.all(
    urls.map((url) => limit(async () => [url, await dataUrl(url, source, hold)] as const)),
  );
  const inline = new Map(read);
  const withUrl = (part: ContentPart): ContentPart => {
    const url = inline.get(part.image_url?.url ?? '');
    return url === undefined ? part : { ...part, image_url: { ...part.image_url, url } };
  };
  return {
    ...request,
    messages: request.messages.map((message) =>
      Array.isArray(message.content)
        ? { ...message, content: message.content.map(withUrl) }
        : message,
    ),
  };
}

async function dataUrl(url: string, source: ImageSource, hold: HoldBytes): Promise<string> {
  // before it arrives, because many arrive at once
  hold(source.maxBytes);
  const bytes = await source.read(url).catch((error: unknown) => {
    throw refusal(`names an image that was not read: ${(error as Error).message}`);
  });
  hold(bytes.length - source.maxBytes);
  const base64 = bytes.toString('base64');
  const type = actualImageType(base64, '');
  if (type === '') throw refusal('names an address that is no image');
  return `data:${type};base64,${base64}`;
}

const refusal = (reason: string): GatewayError =>
  new GatewayError('request_refused', `messages: ${reason}`, { field: 'messages' });
