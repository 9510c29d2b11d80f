import type { ChatRequest, ToolDefinition } from '../completion.js';

/** Whether the model must call a tool. */
export const forcesTool = ({ tool_choice: choice }: { readonly tool_choice?: unknown }): boolean =>
  choice === 'required' || (typeof choice === 'object' && choice !== null);

/** Reads `tool_choice`. @returns the mode, and the functions it names; null: it names none */
export function readToolChoice(choice: ChatRequest['tool_choice']): {
  mode: string | undefined;
  names: string[] | null;
} {
  if (typeof choice !== 'object' || choice === null)
    return { mode: choice ?? undefined, names: null };
  if (choice.function) return { mode: 'required', names: [choice.function.name] };
  const allowed = choice['allowed_tools'] as
    { mode?: string; tools?: { function?: Named; custom?: Named }[] } | undefined;
  const names = allowed?.tools?.flatMap((tool) => (tool.function ?? tool.custom)?.name ?? []);
  return { mode: allowed?.mode, names: names ?? null };
}

interface Named {
  name?: string;
}

/**
 * A request that may call only some of its tools as one that has no others, for those who know no
 * such choice. The same object where it has none.
 * @param canForce false: a choice that forces a tool becomes a free one
 */
export function withAllowedTools<Request extends Pick<ChatRequest, 'tools' | 'tool_choice'>>(
  request: Request,
  canForce = true,
): Request {
  const { tools, tool_choice: choice } = request;
  if (typeof choice !== 'object' || !choice?.['allowed_tools'])
    return canForce || !forcesTool(request) ? request : { ...request, tool_choice: 'auto' };
  const { mode = 'auto', names } = readToolChoice(choice);
  const isAllowed = ({ function: called }: Partial<ToolDefinition>): boolean =>
    called !== undefined && (names?.includes(called.name) ?? true);
  return { ...request, tools: tools?.filter(isAllowed), tool_choice: canForce ? mode : 'auto' };
}
