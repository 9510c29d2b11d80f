import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { listAt, textAt } from '../helpers/json.js';
import type { Answer } from '../helpers/steps.js';
import type { UpstreamCall } from '../helpers/upstream.js';

/** How many files the task asks for: one tool turn for each. */
export const stepCount = 20;
/** What each answer is said to cost, but the one before a compaction. */
export const turnUsage = { prompt: 1_000, completion: 20, cached: 600 };
/** More than an agent may keep that compacts at 50,000 or 100,000 tokens. */
const fullUsage = { ...turnUsage, prompt: 190_000 };

const stepName = (n: number): string => `signalbox-step-${String(n).padStart(2, '0')}`;

/** How to write a file with each tool that an agent may offer. */
const writers: Record<string, (file: string, command: string) => Record<string, unknown>> = {
  Write: (file) => ({ file_path: file, content: 'done' }),
  Bash: (_, command) => ({ command, description: 'Write the file' }),
  exec_command: (_, command) => ({ cmd: command }),
  exec: (_, command) => ({
    input: `text((await tools.exec_command(${JSON.stringify({ cmd: command })})).output)`,
  }),
};

/** The names of the tools that a request offers, in any dialect. */
function offeredTools(body: unknown): string[] {
  const lists = [
    ...listAt(body, 'tools'),
    ...listAt(body, 'toolConfig', 'tools'),
    ...listAt(body, 'input').flatMap((item) => listAt(item, 'tools')),
  ];
  return lists
    .flatMap((tool) => [tool, ...listAt(tool, 'functionDeclarations'), ...listAt(tool, 'tools')])
    .map(
      (tool) =>
        textAt(tool, 'name') ||
        textAt(tool, 'function', 'name') ||
        textAt(tool, 'toolSpec', 'name'),
    );
}

/** The last message or item of a request, in any dialect. */
function lastOf(body: unknown): string {
  const items = ['messages', 'input', 'contents'].flatMap((name) => listAt(body, name));
  return JSON.stringify(items.at(-1) ?? '');
}

/** How agents, and the gateway in their place, ask for a summary. */
const summaryWish =
  /"compaction_trigger"|CONTEXT CHECKPOINT COMPACTION|detailed summary of|Summarize this conversation/;
/** Whether a request asks for a summary of the conversation. */
export const asksForSummary = ({ body }: UpstreamCall): boolean => summaryWish.test(lastOf(body));

/**
 * Plays a model that does the task in a folder: a file with each tool turn, with the tools that the
 * request offers, in turn, and then a last text. The files themselves say how far it is, so that it
 * goes on after a compaction or a failure. @param fillsAt the step whose answer fills the context
 */
export function playTask(folder: string, fillsAt?: number): (call: UpstreamCall) => Answer {
  let hasFilled = false;
  let answers = 0;
  const next = (call: UpstreamCall): Answer => {
    if (asksForSummary(call))
      return {
        text: ['<analysis>All is clear.</analysis>\n', '<summary>Go on writing files.</summary>'],
        usage: turnUsage,
      };
    const n = readdirSync(folder).length + 1;
    const tools = offeredTools(call.body).filter((name) => bareName(name) in writers);
    const tool = tools[n % tools.length];
    if (n > stepCount || tool === undefined) return { text: ['All', ' done.'], usage: turnUsage };
    const fills = n === fillsAt && !hasFilled;
    hasFilled ||= fills;
    const file = join(folder, stepName(n));
    return {
      reasoning: ['I think', ' first.'],
      text: ['Step ', `${n}.`],
      toolCalls: [
        {
          id: `call_${n}`,
          name: tool,
          arguments: writers[bareName(tool)]?.(file, `echo ${stepName(n)} | tee ${file}`) ?? {},
        },
      ],
      usage: fills ? fullUsage : turnUsage,
    };
  };
  // agents join answers with the same id
  return (call) => ({ ...next(call), id: String(++answers) });
}

/** A tool's name without that of its namespace. */
const bareName = (name: string): string => name.replace(/^.*__/, '');

/** The files in a folder after the whole task. */
export const allSteps = Array.from({ length: stepCount }, (_, index) => stepName(index + 1));

/** The steps whose call and result a request carries. */
export const stepsIn = ({ raw }: UpstreamCall): string[] =>
  allSteps.filter((step) => raw.toString('utf8').split(step).length > 2);
