import { Stack, Tabs } from '@mantine/core';
import type { RequestDetails } from '../../api/schema.js';
import { instructionsOf } from '../../components/conversation/stored-turns.js';
import { TurnView } from '../../components/conversation/turn-view.js';
import { CodeRegion, CopyText, Hint, Note, PlainText } from '../../components/elements.js';
import { Panel } from '../../components/page.js';
import { fill, texts } from '../../texts/texts.js';
import { type KeptContent, keptContentOf, keptTurns } from './kept-content.js';

const text = texts.requests.detail;

interface ContentProps {
  request: RequestDetails;
  /** Others see no content. */
  isOwn: boolean;
}

/** The messages and the answer as a conversation and as JSON, or why they are not here. */
export default function Content({ request, isOwn }: ContentProps) {
  const { content } = request;
  if (!content)
    return (
      <Panel title={text.content}>
        <Hint>{isOwn ? text.notStored : text.contentOfAnother}</Hint>
      </Panel>
    );
  const kept = keptContentOf(request);
  const json = JSON.stringify(content, null, 2);
  return (
    <Panel title={text.content} actions={<CopyText value={json} />}>
      <Tabs defaultValue={kept ? 'read' : 'json'} keepMounted={false}>
        <Tabs.List mb="sm">
          {kept ? <Tabs.Tab value="read">{texts.common.conversation}</Tabs.Tab> : null}
          <Tabs.Tab value="json">{text.json}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="read">
          {kept ? <Conversation request={request} kept={kept} /> : null}
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <CodeRegion label={text.json} mah={480}>
            {json}
          </CodeRegion>
        </Tabs.Panel>
      </Tabs>
    </Panel>
  );
}

function Conversation({ request, kept }: { request: RequestDetails; kept: KeptContent }) {
  const { messages, omitted } = kept;
  const instructions = instructionsOf(messages);
  return (
    <Stack gap="md">
      {omitted > 0 ? <Note>{fill(text.omitted, { count: omitted })}</Note> : null}
      {instructions === '' ? null : (
        <div>
          <Note>{texts.common.instructions}</Note>
          <PlainText>{instructions}</PlainText>
        </div>
      )}
      {keptTurns(request, kept).map((turn, index) => (
        <TurnView key={index} turn={turn} />
      ))}
    </Stack>
  );
}
