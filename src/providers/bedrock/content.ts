import type { ContentPart } from '../../completion.js';
import { unsupported } from '../failure.js';
import { readInlineFile } from '../image-type.js';

/** A content block of Converse: an object with one key, its type. */
export type Block = Record<string, unknown>;

/** State of the translation of one conversation. */
export interface ContentScope {
  provider: string;
  /** False if the model refuses cache points; they are hints, so they are omitted. */
  cachePoints: boolean;
  cacheTimes: boolean;
  /** Names of documents so far: Bedrock refuses two documents of the same name. */
  documentNames: Set<string>;
}

const imageFormats = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const documentFormats = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
]);

const videoFormats = new Map([
  ['video/mp4', 'mp4'],
  ['video/quicktime', 'mov'],
  ['video/webm', 'webm'],
  ['video/x-matroska', 'mkv'],
  ['video/mpeg', 'mpeg'],
  ['video/x-flv', 'flv'],
  ['video/x-ms-wmv', 'wmv'],
  ['video/3gpp', 'three_gp'],
]);

/** An image or a video by URL: inline, or in S3, which some models read themselves. */
function readMedia(
  kind: 'image' | 'video',
  url: string,
  formats: Map<string, string>,
  scope: ContentScope,
): Block {
  if (url.startsWith('s3://')) {
    const ending = url.slice(url.lastIndexOf('.') + 1).toLowerCase();
    return {
      [kind]: { format: ending === 'jpg' ? 'jpeg' : ending, source: { s3Location: { uri: url } } },
    };
  }
  const inline = readInlineFile(url);
  if (!inline)
    throw unsupported(scope.provider, `fetching an ${kind} from a web address; send a data: URL`);
  const format = formats.get(inline.mediaType);
  if (!format) throw unsupported(scope.provider, `the ${kind} format ${inline.mediaType}`);
  return { [kind]: { format, source: { bytes: inline.base64 } } };
}

/** A unique name of letters, digits, hyphens, brackets and single spaces, as Bedrock requires. */
function documentName(filename: string, taken: Set<string>): string {
  const plain =
    filename
      .replace(/\.[^.]*$/, '')
      .replace(/[^A-Za-z0-9\-()[\] ]+/g, ' ')
      .replace(/ {2,}/g, ' ')
      .trim()
      .slice(0, 180) || 'document';
  let name = plain;
  for (let number = 2; taken.has(name); number++) name = `${plain} ${number}`;
  taken.add(name);
  return name;
}

function readFile(part: ContentPart, scope: ContentScope): Block {
  const { filename: given, file_data: content } = (part['file'] ?? {}) as {
    filename?: string | null;
    file_data?: string;
  };
  const filename = given ?? '';
  if (!content)
    throw unsupported(
      scope.provider,
      "files by id, which exist only at another provider; send the file's content as file_data",
    );
  if (/^https?:/i.test(content))
    throw unsupported(scope.provider, 'fetching a file from a web address; send a data: URL');
  const inline = readInlineFile(content) ?? { mediaType: '', base64: content };
  const image = imageFormats.get(inline.mediaType);
  if (image) return { image: { format: image, source: { bytes: inline.base64 } } };
  const ending = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  const known = [...documentFormats.values()].includes(ending) ? ending : undefined;
  // OpenAI's clients send PDF, the first type that OpenAI supported, without type or extension
  const format =
    documentFormats.get(inline.mediaType) ?? known ?? (inline.mediaType ? undefined : 'pdf');
  if (!format) throw unsupported(scope.provider, `files of type ${inline.mediaType}`);
  return {
    document: {
      format,
      name: documentName(filename, scope.documentNames),
      source: { bytes: inline.base64 },
    },
  };
}

function readAudio(part: ContentPart): Block {
  const audio = (part['input_audio'] ?? {}) as { data?: string; format?: string };
  return { audio: { format: audio.format ?? 'wav', source: { bytes: audio.data ?? '' } } };
}

/** @returns null for blank text, which Bedrock refuses */
function readPart(part: ContentPart, scope: ContentScope): Block | null {
  switch (part.type) {
    case 'text':
    case 'refusal': {
      const text = part.text ?? part['refusal'];
      return typeof text === 'string' && text.trim() ? { text } : null;
    }
    case 'image_url':
      return readMedia('image', part.image_url?.url ?? '', imageFormats, scope);
    case 'video_url':
      return readMedia(
        'video',
        (part['video_url'] as { url?: string } | undefined)?.url ?? '',
        videoFormats,
        scope,
      );
    case 'file':
      return readFile(part, scope);
    case 'input_audio':
      return readAudio(part);
    default:
      throw unsupported(scope.provider, `content of type ${part.type.slice(0, 40)}`);
  }
}

/** A cache point for an object with Anthropic's `cache_control`; everything before it is cached. */
export function cachePointOf(holder: { [field: string]: unknown }, scope: ContentScope): Block[] {
  const control = holder['cache_control'] as { ttl?: string } | null | undefined;
  if (!control || !scope.cachePoints) return [];
  const ttl = scope.cacheTimes && control.ttl;
  return [{ cachePoint: { type: 'default', ...(ttl ? { ttl } : {}) } }];
}

/**
 * Translates a message's content; blank text is omitted.
 * @throws GatewayError `request_refused` for content that Bedrock does not support (web addresses
 *   of images, ids of files, unknown parts)
 */
export function readContent(
  content: string | ContentPart[] | null | undefined,
  scope: ContentScope,
): Block[] {
  if (content === null || content === undefined) return [];
  const parts: ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return parts.flatMap((part) => {
    const block = readPart(part, scope);
    return block ? [block, ...cachePointOf(part, scope)] : [];
  });
}
