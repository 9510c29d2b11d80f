import { CloseButton, Group, Menu, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type SyntheticEvent, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { basePath } from '../../api/client.js';
import { Note, SmallButton } from '../../components/elements.js';
import { useParameters } from '../../components/search-parameters.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { queryOf } from './filters.js';
import { typed } from '../../components/fields.js';

const text = texts.requests;

/** The views that this account saved in this browser, and a field that saves another one. */
export function Views() {
  const search = useSearch();
  const { id } = useAccount();
  const [name, setName] = useState('');
  const [views, setViews] = useLocalStorage<readonly { name: string; search: string }[]>({
    key: `signalbox-views-${id}`,
    defaultValue: [],
  });
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    const saved = { name: name.trim(), search };
    if (saved.name === '') return;
    setViews([...views.filter((view) => view.name !== saved.name), saved]);
    setName('');
  };
  return (
    <Menu position="bottom-end" width={260} closeOnItemClick={false}>
      <Menu.Target>
        <SmallButton>{text.views}</SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        {views.map((view) => (
          <Group key={view.name} gap={0} wrap="nowrap">
            <Menu.Item component={Link} href={`/requests?${view.search}`}>
              {view.name}
            </Menu.Item>
            <CloseButton
              size="sm"
              aria-label={fill(text.removeView, { name: view.name })}
              onClick={() => setViews(views.filter((one) => one !== view))}
            />
          </Group>
        ))}
        <form onSubmit={save}>
          <Group gap="xs" p="xs" wrap="nowrap">
            <TextInput
              size="xs"
              aria-label={text.viewName}
              placeholder={text.viewName}
              maxLength={60}
              required
              {...typed(name, setName)}
            />
            <SmallButton type="submit" flex="none">
              {texts.common.save}
            </SmallButton>
          </Group>
        </form>
        <Note px="xs">{text.viewsHint}</Note>
      </Menu.Dropdown>
    </Menu>
  );
}

/** All requests of the filters as a file. */
export function Export({ isAdmin }: { isAdmin: boolean }) {
  const [parameters] = useParameters();
  const [now, setNow] = useState(0);
  const hrefOf = (format: string): string => {
    const { sort } = parameters;
    const query = { ...queryOf(parameters, isAdmin, now), format, ...(sort ? { sort } : {}) };
    const named = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return `${basePath}/api/v1/requests?${new URLSearchParams(named)}`;
  };
  return (
    <Menu position="bottom-end" onOpen={() => setNow(Date.now())}>
      <Menu.Target>
        <SmallButton>{text.export}</SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        {['csv', 'jsonl'].map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={hrefOf(format)}
            download={`requests.${format}`}
          >
            {fill(text.exportAs, { format: format.toUpperCase() })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
