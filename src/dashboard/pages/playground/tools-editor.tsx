import { Button, Group, JsonInput, Text } from '@mantine/core';
import { useState } from 'react';
import { fill, texts } from '../../texts/texts.js';
import { type ClientTool, exampleTools, readTools } from './settings.js';

const { tools: words } = texts.playground;

interface ToolsEditorProps {
  isDisabled: boolean;
  /** The tools of a text that is valid. */
  onChange: (tools: readonly ClientTool[]) => void;
}

/** Function tools in JSON. The page shows their calls, and its reader answers them. */
export function ToolsEditor({ isDisabled, onChange }: ToolsEditorProps) {
  const [text, setText] = useState('');
  const { tools, problem } = readTools(text);
  const write = (next: string): void => {
    setText(next);
    const read = readTools(next);
    if (read.tools) onChange(read.tools);
  };
  return (
    <div>
      <JsonInput
        label={words.label}
        description={words.hint}
        autosize
        minRows={3}
        maxRows={14}
        disabled={isDisabled}
        value={text}
        onChange={write}
        error={problem === null ? null : `${words.invalid} ${problem}`}
      />
      <Group gap="sm" mt={6}>
        {text === '' ? (
          <Button
            size="compact-xs"
            variant="default"
            disabled={isDisabled}
            onClick={() => write(exampleTools)}
          >
            {words.example}
          </Button>
        ) : null}
        {tools && tools.length > 0 ? (
          <Text size="xs" c="dimmed">
            {fill(words.count, {
              count: tools.length,
              names: tools.map((tool) => tool.function?.name ?? '').join(', '),
            })}
          </Text>
        ) : null}
      </Group>
    </div>
  );
}
