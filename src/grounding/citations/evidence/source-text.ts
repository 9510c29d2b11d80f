import { sentencesOf } from '../sentences.js';
import type { StatementTerm } from './statement-terms.js';
import { readableText, type ReadableText } from './readable-text.js';
import { stemOf, termsOf } from './terms.js';

/** More of a source is not looked through. */
const maxLength = 1_000_000;
const maxSentences = 20_000;

/** A text in which many statements are looked up: its sentences, and where each word is. */
export class SourceText {
  /** Without the addresses of links. */
  readonly text: string;
  private readonly sentences: string[] = [];
  /** The sentences that have a word or a number. */
  private readonly places = new Map<string, number[]>();
  /** The words that begin alike. */
  private readonly stems = new Map<string, string[]>();
  /** Numbers that may have been rounded. */
  private readonly large: { readonly value: number; readonly sentence: number }[] = [];
  private readonly titleKeys = new Set<string>();
  private readable: ReadableText | undefined;

  private constructor(title: string, text: string) {
    // pages are written with links as `[text](url)`
    this.text = text.slice(0, maxLength).replace(/!?\[([^[\]]{0,500})\]\([^()\s]{0,2048}\)/g, '$1');
    for (const { key } of termsOf(title)) {
      this.titleKeys.add(key);
      if (stemOf(key) !== '') this.titleKeys.add(stemOf(key));
    }
  }

  /** Reads a text; yields between its sentences. */
  static *read(title: string, text: string): Generator<unknown, SourceText> {
    const source = new SourceText(title, text);
    for (const { start, end } of sentencesOf(source.text)) {
      const sentence = source.text.slice(start, end).trim();
      if (sentence !== '') source.addSentence(sentence, source.sentences.push(sentence) - 1);
      if (source.size >= maxSentences) break;
      yield;
    }
    return source;
  }

  get size(): number {
    return this.sentences.length;
  }

  sentence(index: number): string {
    return this.sentences[index] ?? '';
  }

  /** The text as quotations are compared with it. */
  *comparable(): Generator<unknown, ReadableText> {
    return (this.readable ??= yield* readableText(this.text));
  }

  hasInTitle({ key, stem }: StatementTerm): boolean {
    return this.titleKeys.has(key) || (stem !== '' && this.titleKeys.has(stem));
  }

  /** The sentences that have a term, and how well each fits it, from 0 to 1. */
  placesOf(term: StatementTerm): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    if (term.kind === 'number') {
      for (const value of term.values)
        for (const sentence of this.places.get(`#${value}`) ?? []) found.set(sentence, 1);
      const [exact] = term.values;
      if (term.step >= 1 && exact !== undefined)
        for (const { value, sentence } of this.large)
          if (Math.abs(value - exact) <= term.step / 2) found.set(sentence, 1);
      return found;
    }
    for (const key of this.stems.get(term.stem) ?? [])
      for (const sentence of this.places.get(key) ?? []) found.set(sentence, stemFit);
    for (const sentence of this.places.get(term.key) ?? []) found.set(sentence, 1);
    return found;
  }

  private addSentence(sentence: string, index: number): void {
    for (const { kind, key, values } of termsOf(sentence)) {
      if (kind !== 'number') this.addPlace(key, index);
      for (const value of values) {
        this.addPlace(`#${value}`, index);
        if (value >= minRounded) this.large.push({ value, sentence: index });
      }
    }
  }

  private addPlace(key: string, sentence: number): void {
    const known = this.places.get(key);
    if (!known) {
      this.places.set(key, [sentence]);
      this.addStem(key);
    } else if (known.at(-1) !== sentence) known.push(sentence);
  }

  private addStem(key: string): void {
    const stem = stemOf(key);
    if (stem === '') return;
    const alike = this.stems.get(stem);
    if (alike) alike.push(key);
    else this.stems.set(stem, [key]);
  }
}

const stemFit = 0.8;
const minRounded = 1_000;
