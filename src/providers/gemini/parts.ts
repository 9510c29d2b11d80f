import type { ChatMessage, ContentPart } from '../../completion.js';
import { unsupported } from '../failure.js';
import { readInlineFile } from '../image-type.js';
import type { GeminiPart } from './wire.js';
import { table } from '../../text/is-object.js';

const typeOfExtension: Record<string, string> = table({
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mpeg: 'video/mpeg',
});

/**
 * Translates a message's content into parts; empty texts are omitted, because Gemini refuses them.
 * @throws GatewayError `request_refused` for content that Gemini does not support
 */
export function toParts(content: ChatMessage['content'], provider: string): GeminiPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return (content ?? []).map((part) => toPart(part, provider)).filter((part) => part.text !== '');
}

function toPart(part: ContentPart, provider: string): GeminiPart {
  switch (part.type) {
    case 'text':
      return { text: part.text ?? '' };
    case 'refusal':
      return { text: typeof part['refusal'] === 'string' ? part['refusal'] : '' };
    case 'image_url':
      return fromUrl(urlOf(part.image_url), 'image/jpeg', provider);
    case 'video_url':
      return fromUrl(urlOf(part['video_url']), 'video/mp4', provider);
    case 'input_audio': {
      const audio = part['input_audio'] as { data?: string; format?: string } | undefined;
      return {
        inlineData: { mimeType: `audio/${audio?.format ?? 'wav'}`, data: audio?.data ?? '' },
      };
    }
    case 'file':
      return fromFile(part['file'] ?? {}, provider);
    default:
      throw unsupported(provider, `content of type ${part.type.slice(0, 40)}`);
  }
}

function urlOf(holder: unknown): string {
  if (typeof holder === 'string') return holder;
  const url = (holder as { url?: unknown } | null | undefined)?.url;
  return typeof url === 'string' ? url : '';
}

function fromFile(
  file: { file_data?: string; file_id?: string; filename?: string },
  provider: string,
): GeminiPart {
  const named = typeByName(file.filename ?? '');
  if (file.file_data && /^(data|https?):/i.test(file.file_data))
    return fromUrl(file.file_data, named ?? 'application/pdf', provider);
  if (file.file_data)
    return { inlineData: { mimeType: named ?? 'application/pdf', data: file.file_data } };
  if (file.file_id?.startsWith('files/'))
    return {
      fileData: {
        fileUri: `https://generativelanguage.googleapis.com/v1beta/${file.file_id}`,
        ...(named ? { mimeType: named } : {}),
      },
    };
  return fromUrl(file.file_id ?? '', named ?? 'application/pdf', provider);
}

/** Google fetches `https:` and `gs:` URLs itself; the type is the extension's, else assumed. */
function fromUrl(url: string, assumedType: string, provider: string): GeminiPart {
  if (/^data:/i.test(url)) {
    const inline = readInlineFile(url);
    if (!inline) throw unsupported(provider, 'a data: URL without a comma');
    return { inlineData: { mimeType: inline.mediaType, data: inline.base64 } };
  }
  if (!/^(https?|gs):\/\//i.test(url))
    throw unsupported(provider, 'media other than as data:, https: or gs: URLs');
  return {
    fileData: { fileUri: url, mimeType: typeByName(url.replace(/[?#].*$/s, '')) ?? assumedType },
  };
}

const typeByName = (name: string): string | undefined =>
  typeOfExtension[/\.([a-z0-9]{2,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
