import type { ChatRequest } from '../completion.js';

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
    { mode?: string; tools?: { function?: { name?: string } }[] } | undefined;
  const names = allowed?.tools?.flatMap((tool) => tool.function?.name ?? []);
  return { mode: allowed?.mode, names: names ?? null };
}
