import { compileRules, type ModelRules } from './model-rules.js';

/** Whether a model calls tools and looks at images; null where nobody is sure. */
export interface Capabilities {
  readonly tools: boolean | null;
  readonly images: boolean | null;
}

const both: Capabilities = { tools: true, images: true };
const toolsOnly: Capabilities = { tools: true, images: false };
const neither: Capabilities = { tools: false, images: false };
const imagesOnly: Capabilities = { tools: false, images: true };
const imagesMaybeTools: Capabilities = { tools: null, images: true };
const toolsMaybeImages: Capabilities = { tools: true, images: null };
const textMaybeTools: Capabilities = { tools: null, images: false };

/** What makers' documentation says by 2026-11. Patterns are of canonical names (model-name.ts), special cases first. */
const rules: ModelRules<Capabilities> = [
  // not for conversation at all
  [
    '(?:text-)?embed(?:ding|dings)?|bge|gte|e5|voyage|rerank(?:er)?|whisper|tts|transcribe|moderation|guard|safeguard|shieldgemma|content-safety|ocr|lyria|veo|sora',
    neither,
  ],
  [
    '(?:gpt|flash|flash-lite|pro|mini)-image|dall-e|imagen|flux|stable-diffusion|titan-image',
    imagesOnly,
  ],
  // OpenAI
  ['gpt-3-5-turbo-instruct|davinci|babbage|curie|ada', neither],
  ['gpt-3-5', toolsOnly],
  ['gpt-4-vision', imagesOnly],
  ['gpt-4-turbo-preview|gpt-4-1106|gpt-4-0125|gpt-4-32k|gpt-4-0[36]1[34]', toolsOnly],
  ['chatgpt-4o', { tools: null, images: true }],
  [
    'gpt-4o(?:-mini)?-(?:audio|realtime)|gpt-audio(?:-mini)?|gpt-realtime(?:-mini)?',
    toolsMaybeImages,
  ],
  ['gpt-4o(?:-mini)?-search', textMaybeTools],
  ['gpt-4o|gpt-4-(?:1|5|turbo)|gpt-(?:[5-9]|chat)', both],
  ['gpt-4|gpt-oss', toolsOnly],
  ['o1-(?:mini|preview)', neither],
  ['o3-mini', toolsOnly],
  ['o[134]', both],
  // Anthropic
  ['claude-(?:1|2|instant)', neither],
  ['claude', both],
  // Google
  ['gemini-1-0-pro-vision|gemini-pro-vision', imagesOnly],
  ['gemini', both],
  ['gemma-[12]|codegemma|gemma-3-1b', textMaybeTools],
  ['gemma', imagesMaybeTools],
  // Meta
  ['llama-3-2-(?:11b|90b)', imagesMaybeTools],
  ['llama-4', both],
  ['llama-2|codellama|vicuna|alpaca|falcon|guanaco', neither],
  ['llama-3-[13]', toolsOnly],
  ['llama-3', textMaybeTools],
  // Mistral
  ['pixtral', both],
  [
    'mistral-(?:medium-3|small-3-[1-9]|small-2[5-9]\\d\\d|medium-2[5-9]\\d\\d|large-3|large-2[5-9]\\d\\d)|ministral-3|ministral-\\d+b-2[5-9]\\d\\d',
    both,
  ],
  ['mistral-(?:medium|small|large)(?:-latest)?$', toolsMaybeImages],
  ['magistral|devstral|voxtral', toolsMaybeImages],
  ['mistral-(?:large|nemo|saba)|ministral|codestral-2[5-9]\\d\\d|mixtral-8x22b', toolsOnly],
  ['mistral|mixtral|codestral|mathstral|zephyr', textMaybeTools],
  // DeepSeek
  ['deepseek.*vision|deepseek-vl|deepseek-ocr', imagesMaybeTools],
  ['deepseek-(?:chat|3|3-\\d|4)|deepseek-v?[4-9]', toolsOnly],
  ['(?:deepseek-)?r1|deepseek', textMaybeTools],
  // Alibaba
  ['qwen.*-?vl|qvq|qwen.*omni', imagesMaybeTools],
  ['qwen-3-[5-9]', { tools: true, images: null }],
  ['qwen-(?:3|max|plus|turbo|flash|coder|2-5)', toolsOnly],
  ['qwen|qwq', textMaybeTools],
  // xAI
  ['grok.*vision', imagesMaybeTools],
  ['grok-(?:[4-9]|build)', both],
  ['grok-(?:2|3|code)', toolsOnly],
  // Moonshot, Z.ai, MiniMax
  ['kimi-vl', imagesMaybeTools],
  ['kimi-k2-[5-9]|kimi-k[3-9]', both],
  ['kimi-k2', toolsOnly],
  ['kimi|moonshot', toolsMaybeImages],
  ['glm-\\d(?:-\\d)?v|glm-5-3-flash', both],
  ['glm-[45]', toolsOnly],
  ['minimax-m3', both],
  ['minimax-m2', toolsOnly],
  // Cohere, AI21, Amazon, NVIDIA, Microsoft, Perplexity
  ['command-a-vision|aya-vision', imagesMaybeTools],
  ['command-(?:a|r|r-plus|r7b)', toolsOnly],
  ['jamba-1-[5-9]|jamba-(?:mini|large)', toolsOnly],
  ['nova-micro', toolsOnly],
  ['nova(?:-2)?-(?:lite|pro|premier|omni)', both],
  ['titan', neither],
  ['nemotron.*vl|nemotron.*omni', imagesMaybeTools],
  ['nemotron-3', toolsOnly],
  ['phi-\\d(?:-\\d)?-(?:vision|multimodal)', imagesMaybeTools],
  ['phi-[1-4]', textMaybeTools],
  ['sonar', { tools: null, images: null }],
  // vision models of many makers
  ['llava|bakllava|moondream|internvl|molmo|minicpm-v|idefics|smolvlm', imagesMaybeTools],
];

const unknown: Capabilities = { tools: null, images: null };
const find = compileRules(rules);

/** What a model of this canonical name can do, from its family. */
export function capabilitiesOf(canonicalName: string): Capabilities {
  return find(canonicalName) ?? unknown;
}
