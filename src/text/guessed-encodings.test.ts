import { describe, expect, it } from "vitest";
import { decodeText, detectLegacyEncoding, type TextEncodingName } from "./encoding.js";

const UNDEFINED_IN_1252 = /[\x81\x8d\x8f\x90\x9d]/;

/** A text in an encoding of one byte a character. */
function encode(text: string, encoding: TextEncodingName): Uint8Array {
  const codes = new Map<string, number>();
  for (let byte = 255; byte >= 0; byte--) codes.set(decodeText(Uint8Array.of(byte), encoding).text, byte);
  return Uint8Array.from([...text], (char) => codes.get(char) ?? expect.fail(`no ${char} in ${encoding}`));
}

const SHORT_WESTERN = [
  "café crème\nnaïve résumé\n",
  "déjà vu",
  "garçon",
  "Noël à Orléans",
  "« l’été » – où?",
  "cœur, œuvre, Ÿ",
  "Straße",
  "Müller",
  "Grüße aus Köln",
  "Übergröße: 5 €",
  "[a-zäöüßÄÖÜ]+",
  "mañana",
  "¿Qué pasó, niño?",
  "corazón",
  "São Paulo",
  "informação",
  "avó, avô, não",
  "Ærø",
  "smørrebrød",
  "smörgåsbord",
  "Åse og Bjørn",
  "Þórður",
  "perché no, città",
  "l·lusió, cançó",
  "één café",
  "20 °C ± 1, m²",
  "© 2024 Société Générale",
  "“quoted” — text…",
  "/* naïve */ int n = 4;",
  "Zoë;Chloé;André\n1;2;3\n",
  "price,£12,½ off",
  "El Niño año",
];

const POLISH = "Zażółć gęślą jaźń. Dzień dobry, proszę państwa, dziękuję bardzo za miłe przyjęcie w środku Polski.";
const CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. Dobrý den, děkuji vám za pěkné přijetí v hlavním městě.";
const RUSSIAN = "Сегодня утром мы долго шли по берегу реки, и никто не знал, где стоит старый дом.";
const GREEK = "Καλημέρα σας, τι κάνετε σήμερα; Η πόλη είναι η μεγαλύτερη της χώρας και η πιο όμορφη.";
const TURKISH =
  "Bugün hava çok güzel, dışarı çıkıp yürüyüş yapmak istiyorum. Çocuklar bahçede oynuyor, öğretmen kitap okuyor.";
const FRENCH = "Après l'hiver, la forêt était déjà verte et les élèves préféraient étudier à l'extérieur du collège. ";
const GERMAN = "Die Straße führt über die Brücke. Im Frühling blühen die Bäume, später wird es kühl und trüb. ";

describe("a guessed encoding", () => {
  it.each(SHORT_WESTERN)("reads a short western text right: %j", async (text) => {
    const bytes = encode(text, "windows-1252");
    expect(decodeText(bytes, await detectLegacyEncoding(bytes)).text).toBe(text);
    expect(text).not.toMatch(UNDEFINED_IN_1252);
  });

  it.each<[TextEncodingName, string]>([
    ["windows-1250", POLISH],
    ["iso-8859-2", POLISH],
    ["windows-1250", CZECH],
    ["iso-8859-2", CZECH],
    ["windows-1251", RUSSIAN],
    ["koi8-r", RUSSIAN],
    ["windows-1251", "Привет, мир!"],
    ["iso-8859-7", GREEK],
    ["windows-1254", TURKISH],
    ["windows-1252", FRENCH],
    ["windows-1252", FRENCH.repeat(50)],
    ["windows-1252", GERMAN.repeat(50)],
  ])("reads a text right that is clearly %s: %j", async (encoding, text) => {
    const bytes = encode(text, encoding);
    expect(decodeText(bytes, await detectLegacyEncoding(bytes)).text).toBe(text);
  });
});
