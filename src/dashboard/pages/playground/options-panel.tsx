import {
  Button,
  Group,
  JsonInput,
  MultiSelect,
  type NumberInputProps,
  Select,
  Stack,
  Switch,
  Textarea,
} from '@mantine/core';
import { Note } from '../../components/elements.js';
import { NumberField, switched, typed } from '../../components/fields.js';
import type { Schema } from '../../api/schema.js';
import { fill, texts } from '../../texts/texts.js';
import { exampleTools, type PlaygroundSettings, readTools } from './settings.js';

const { options: words } = texts.playground;

/** What this gateway lets completions ask for. */
type CompletionOptions = Schema<'CompletionOptionsResponse'>;

interface OptionsPanelProps {
  settings: PlaygroundSettings;
  options: CompletionOptions;
  change: (changes: Partial<PlaygroundSettings>) => void;
}

type Labels = Readonly<Record<string, string>>;

/** What the next questions ask for beside a model. */
export function OptionsPanel({ settings, options, change }: OptionsPanelProps) {
  const isResearch = settings.research !== 'off';
  const choice = (name: 'search' | 'research' | 'effort', labels: Labels, description: string) => (
    <Select
      label={words[name]}
      description={description}
      data={Object.entries(labels).map(([value, label]) => ({ value, label }))}
      value={settings[name]}
      disabled={name === 'research' && options.research === null}
      allowDeselect={false}
      onChange={(value) => change({ [name]: value })}
    />
  );
  const number = (
    name: 'temperature' | 'maxTokens',
    bounds: Pick<NumberInputProps, 'min' | 'max' | 'step' | 'allowDecimal'>,
  ) => (
    <NumberField
      label={words[name]}
      description={words[`${name}Hint`]}
      {...bounds}
      value={settings[name]}
      change={(value) => change({ [name]: value })}
    />
  );
  const hasEngines = options.search.engines.length > 0;
  return (
    <Stack gap="md">
      {choice('search', words.searchModes, hasEngines ? words.searchHint : words.searchNative)}
      {choice(
        'research',
        words.efforts,
        options.research ? words.researchHint : words.researchNeeds,
      )}
      <MultiSelect
        label={texts.common.toolkits}
        description={options.toolkits.length > 0 ? words.toolkitsHint : words.noToolkits}
        data={[...options.toolkits]}
        value={[...settings.toolkits]}
        disabled={options.toolkits.length === 0 || isResearch}
        onChange={(toolkits) => change({ toolkits })}
      />
      {number('temperature', { min: 0, max: 1, step: 0.1 })}
      {choice('effort', words.reasoningEfforts, words.effortHint)}
      {number('maxTokens', { min: 1, allowDecimal: false })}
      <Textarea
        label={texts.common.instructions}
        placeholder={words.instructionsHint}
        autosize
        minRows={2}
        maxRows={8}
        {...typed(settings.instructions, (instructions) => change({ instructions }))}
      />
      <ToolsEditor text={settings.toolsText} isDisabled={isResearch} change={change} />
      {options.storesConversations ? (
        <Switch
          label={words.store}
          {...switched(settings.stores, (stores) => change({ stores }))}
        />
      ) : null}
    </Stack>
  );
}

const { tools: toolWords } = texts.playground;

interface ToolsEditorProps extends Pick<OptionsPanelProps, 'change'> {
  text: string;
  isDisabled: boolean;
}

/** Function tools in JSON. The page shows their calls, and its reader answers them. */
function ToolsEditor({ text, isDisabled, change }: ToolsEditorProps) {
  const { tools, problem } = readTools(text);
  const write = (toolsText: string): void => {
    const read = readTools(toolsText);
    change(read.tools ? { toolsText, tools: read.tools } : { toolsText });
  };
  return (
    <div>
      <JsonInput
        label={toolWords.label}
        description={toolWords.hint}
        autosize
        minRows={3}
        maxRows={14}
        disabled={isDisabled}
        value={text}
        onChange={write}
        error={problem === null ? null : `${toolWords.invalid} ${problem}`}
      />
      <Group gap="sm" mt={6}>
        {text === '' ? (
          <Button
            size="compact-xs"
            variant="default"
            disabled={isDisabled}
            onClick={() => write(exampleTools)}
          >
            {toolWords.example}
          </Button>
        ) : null}
        {tools && tools.length > 0 ? (
          <Note>
            {fill(toolWords.count, {
              count: tools.length,
              names: tools.map((tool) => tool.function?.name ?? '').join(', '),
            })}
          </Note>
        ) : null}
      </Group>
    </div>
  );
}
