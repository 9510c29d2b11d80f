import {
  Button,
  Group,
  JsonInput,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  Textarea,
} from '@mantine/core';
import { Note, optionsOf } from '../../components/elements.js';
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

/** What the next questions ask for beside a model. */
export const OptionsPanel = ({ settings, options, change }: OptionsPanelProps) => (
  <Stack gap="md">
    <Select<PlaygroundSettings['search']>
      label={words.search}
      description={options.search.engines.length > 0 ? words.searchHint : words.searchNative}
      data={optionsOf(words.searchModes)}
      value={settings.search}
      allowDeselect={false}
      onChange={(search) => change({ search: search ?? 'off' })}
    />
    <Select<PlaygroundSettings['research']>
      label={words.research}
      description={options.research ? words.researchHint : words.researchNeeds}
      data={optionsOf(words.efforts)}
      value={settings.research}
      disabled={options.research === null}
      allowDeselect={false}
      onChange={(research) => change({ research: research ?? 'off' })}
    />
    <MultiSelect
      label={words.toolkits}
      description={options.toolkits.length > 0 ? words.toolkitsHint : words.noToolkits}
      data={[...options.toolkits]}
      value={[...settings.toolkits]}
      disabled={options.toolkits.length === 0 || settings.research !== 'off'}
      onChange={(toolkits) => change({ toolkits })}
    />
    <NumberInput
      label={words.temperature}
      description={words.temperatureHint}
      min={0}
      max={1}
      step={0.1}
      value={settings.temperature ?? ''}
      onChange={(value) => change({ temperature: typeof value === 'number' ? value : null })}
    />
    <Select<PlaygroundSettings['effort']>
      label={words.effort}
      description={words.effortHint}
      data={optionsOf(words.reasoningEfforts)}
      value={settings.effort}
      allowDeselect={false}
      onChange={(effort) => change({ effort: effort ?? 'default' })}
    />
    <NumberInput
      label={words.maxTokens}
      description={words.maxTokensHint}
      min={1}
      allowDecimal={false}
      value={settings.maxTokens ?? ''}
      onChange={(value) => change({ maxTokens: typeof value === 'number' ? value : null })}
    />
    <Textarea
      label={words.instructions}
      placeholder={words.instructionsHint}
      autosize
      minRows={2}
      maxRows={8}
      value={settings.instructions}
      onChange={(event) => change({ instructions: event.currentTarget.value })}
    />
    <ToolsEditor
      text={settings.toolsText}
      isDisabled={settings.research !== 'off'}
      change={change}
    />
    {options.storesConversations ? (
      <Switch
        label={words.store}
        checked={settings.stores}
        onChange={(event) => change({ stores: event.currentTarget.checked })}
      />
    ) : null}
  </Stack>
);

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
