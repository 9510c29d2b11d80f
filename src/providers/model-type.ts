import type { ModelType } from './adapter.js';

// names of 2023 to 2026; the first match decides, and any other name is a chat model's
const rules: readonly (readonly [ModelType, RegExp])[] = [
  ['rerank', /rerank/],
  [
    'embedding',
    /embed|(^|[-/])(bge|gte|e5|voyage|minilm)(-|\d|$)|all-mpnet|arctic-embed|similarity-|search-(ada|babbage|curie|davinci)/,
  ],
  ['moderation', /moderation|guard(ian)?(-|\d|$)|safeguard|shieldgemma|content-safety/],
  [
    'transcription',
    /whisper|transcri|(^|[-/])(asr|stt)(-|$)|speech-to-text|parakeet|canary|scribe/,
  ],
  ['realtime', /realtime|(^|-)live(-|$)|native-audio/],
  [
    'speech',
    /(^|[-/])tts(-|\d|$)|text-to-speech|(^|-)audio(-|$)|(^|[-/])(orpheus|kokoro|playai|lyria|sonic-\d|eleven)/,
  ],
  ['video', /(^|[-/])(sora|veo|kling|hailuo|nova-reel|wan-?\d)|video/],
  [
    'image',
    /dall-e|(^|[-/])(flux|imagen|sdxl|ideogram|recraft|seedream)|stable-diffusion|titan-image|nova-canvas|-image(-|$)|(^|[-/])image-/,
  ],
  [
    'completion',
    /(^|\/)(text-)?(ada|babbage|curie|davinci)(-\d+)?$|(^|\/)(text|code)-(ada|babbage|curie|davinci)-|3\.5-turbo-instruct/,
  ],
  ['other', /deep-research|computer-use|(^|\/)aqa$|-ocr(-|$)|(^|\/)ocr-/],
];

/** What a model is for, by its name; for providers that do not say it. */
export function modelTypeOf(model: string): ModelType {
  const name = model.toLowerCase();
  return rules.find(([, pattern]) => pattern.test(name))?.[0] ?? 'chat';
}
