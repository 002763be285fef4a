/** What mail programs write around a person's own words, in the languages that they speak. */

/** The line above a quotation. Each ends with a colon; the beginning tells whether it may span several lines. */
const ATTRIBUTIONS: readonly RegExp[] = [
  /^On\s.*\swrote\s?:$/iu,
  /^(?:Am|Den)\s.*\sschrieb(?:en)?(?:\s.*)?:$/iu,
  /\sschrieb(?:en)?\sam\s.*:$/iu,
  /^Le\s.*\sa\s(?:é|e\u0301)crit\s?:$/iu,
  /^El\s.*\sescribi(?:ó|o\u0301)\s?:$/iu,
  /^Il\s.*\sha\sscritto\s?:$/iu,
  /^(?:Em|A|No dia|Aos?)\s.*\sescreveu\s?:$/iu,
  /^Op\s.*\sschreef(?:\s.*)?:$/iu,
  /\sschreef\sop\s.*:$/iu,
  /\sskrev(?:\s.*)?:$/iu,
  /\skirjoitti(?:\s.*)?:$/iu,
  /\s(?:napisał(?:a|\(a\))?|pisze)\s?:$/iu,
  /\snapsal(?:a|\(a\))?\s?:$/iu,
  /\s(?:пишет|написал(?:а|\(а\))?|пише)\s?:$/iu,
  /\syazdı\s?:$/iu,
  /\sezt írta.*:$/iu,
  /(?:写道|寫道)\s?[:：]$/u,
  /(?:のメール|書きました|のメッセージ)\s?[:：]$/u,
  /님이 (?:작성|쓴 글)\s?[:：]$/u,
  // Gmail in languages that name no verb: a date, a name, an address.
  /\d.*<[^<>\s]+@[^<>\s]+>\s?[:：]$/u,
];

/** How an attribution begins that goes on in the next line. */
const ATTRIBUTION_START =
  /^(?:(?:On|Am|Den|Le|El|Il|Em|A|No dia|Aos?|Op|På|W dniu|Dnia|Dne|в|於|在)\s|\d|(?:pon|wt|śr|czw|pt|sob|niedz|пн|вт|ср|чт|пт|сб|вс|ma|ti|ke|to|pe|la|su|po|út|st|čt|pá|so|ne)[.,]?\s)/iu;

export function isAttribution(line: string): boolean {
  return /[:：]$/u.test(line) && namesWhenOrWho(line) && ATTRIBUTIONS.some((pattern) => pattern.test(line));
}

export function mayStartAttribution(line: string): boolean {
  return ATTRIBUTION_START.test(line);
}

/** "On Monday he wrote:" may be a person's own words: a mail program names a moment or an address. */
function namesWhenOrWho(line: string): boolean {
  return /[^\s@]@[^\s@]|\d{1,2}[:.時点点]\s?\d{2}|\d{4}/u.test(line);
}

const FROM = [
  ...["From", "Von", "De", "Da", "Van", "Från", "Fra", "Lähettäjä", "Od", "От", "Від", "Kimden", "Gönderen"],
  ...["Feladó", "Expéditeur", "差出人", "发件人", "寄件者", "寄件人", "보낸 사람", "보낸사람"],
];
const OTHER_FIELDS = [
  ...["Sent", "Date", "To", "Subject", "Cc", "Reply-To", "Gesendet", "Datum", "An", "Betreff", "Kopie"],
  ...["Envoyé", "À", "A", "Objet", "Enviado", "Enviada em", "Fecha", "Para", "Asunto", "Assunto"],
  ...["Inviato", "Data", "Oggetto", "Verzonden", "Aan", "Onderwerp", "Skickat", "Till", "Ämne"],
  ...["Sendt", "Dato", "Til", "Emne", "Lähetetty", "Päivämäärä", "Vastaanottaja", "Aihe"],
  ...["Wysłano", "Wysłane", "Do", "Temat", "Отправлено", "Дата", "Кому", "Тема", "Odesláno", "Komu"],
  ...["Předmět", "Gönderildi", "Gönderme Tarihi", "Tarih", "Kime", "Konu", "Elküldve", "Címzett", "Tárgy"],
  ...["送信日時", "日付", "宛先", "件名", "发送时间", "日期", "收件人", "主题", "寄件日期", "收件者", "主旨"],
  ...["보낸 날짜", "날짜", "받는 사람", "받는사람", "제목"],
];
const fieldNamed = (names: readonly string[]): RegExp =>
  new RegExp(`^\\s*\\*{0,2}(?:${names.join("|")})\\*{0,2}\\s?[:：]\\*{0,2}(?:\\s|$)`, "iu");
const FROM_FIELD = fieldNamed(FROM);
const OTHER_FIELD = fieldNamed(OTHER_FIELDS);

export function isFromField(line: string): boolean {
  return FROM_FIELD.test(line);
}

export function isOtherField(line: string): boolean {
  return OTHER_FIELD.test(line);
}

const ORIGINAL = [
  ...["Original Message", "Original message", "Ursprüngliche Nachricht", "Originalnachricht"],
  ...["Message d['’]origine", "Message original", "Mensaje original", "Messaggio originale"],
  ...["Mensagem original", "Oorspronkelijk bericht", "Ursprungligt meddelande", "Oprindelig meddelelse"],
  ...["Opprinnelig melding", "Alkuperäinen viesti", "Wiadomość oryginalna", "Исходное сообщение"],
  ...[
    "Původní zpráva",
    "Özgün İleti",
    "Orijinal Mesaj",
    "元のメッセージ",
    "原始邮件",
    "原始郵件",
    "원본 메시지",
  ],
];
const FORWARDED = [
  ...["Forwarded message", "Weitergeleitete Nachricht", "Message transféré", "Mensaje reenviado"],
  ...["Messaggio inoltrato", "Mensagem encaminhada", "Mensagem reencaminhada", "Doorgestuurd bericht"],
  ...[
    "Vidarebefordrat meddelande",
    "Videresendt meddelelse",
    "Videresendt melding",
    "Edelleenlähetetty viesti",
  ],
  ...["Wiadomość przekazana dalej", "Пересылаемое сообщение", "Пересланное сообщение", "Přeposlaná zpráva"],
  ...["İletilen ileti", "Yönlendirilen ileti", "転送メッセージ", "转发邮件", "轉寄郵件", "전달된 메시지"],
];
const FORWARDED_BY_APPLE = [
  ...["Begin forwarded message", "Anfang der weitergeleiteten Nachricht", "Début du message transféré"],
  ...["Début du message réexpédié", "Inicio del mensaje reenviado", "Inizio messaggio inoltrato"],
  ...["Início da mensagem (?:re)?encaminhada", "Begin doorgestuurd bericht", "Vidarebefordrat brev"],
  ...["Videresendt besked", "Начало переадресованного сообщения", "転送されたメッセージ", "开始转发的邮件"],
];
const between = (names: readonly string[]): RegExp =>
  new RegExp(`^\\s*[-_]{2,}\\s*(?:${names.join("|")})\\s*:?\\s*[-_]{2,}\\s*$`, "iu");
const ORIGINAL_LINE = between(ORIGINAL);
const FORWARDED_LINE = between(FORWARDED);
const APPLE_FORWARDED_LINE = new RegExp(`^\\s*(?:${FORWARDED_BY_APPLE.join("|")})\\s?[:：]\\s*$`, "iu");

export function isOriginalLine(line: string): boolean {
  return ORIGINAL_LINE.test(line);
}

export function isForwardedLine(line: string): boolean {
  return FORWARDED_LINE.test(line) || APPLE_FORWARDED_LINE.test(line);
}

/** The line that Outlook draws above the fields of what it quotes. */
export function isRule(line: string): boolean {
  return /^\s*[_\u2500\u2014-]{20,}\s*$/u.test(line);
}

/** The name of a device or a program, after words such as "Sent from my". */
const DEVICE =
  /(?:iPhone|iPad|Android|Samsung|Galaxy|Huawei|Xiaomi|Pixel|BlackBerry|Mobilgerät|Handy|Smartphone|mobile|mobiel|móvil|celular|phone|tablet|Outlook|Yahoo|GMX|WEB\.DE|Gmail|Proton|AOL|Windows|Thunderbird|Mail\b)/iu;
const SENT_FROM =
  /^\s*(?:Sent (?:from|via|with)|Get Outlook|Von meinem|Gesendet (?:von|mit|aus)|Diese Nachricht wurde von|Holen Sie sich|Hol dir|Outlook (?:für|for|pour|para|per|voor)|Envoyé (?:de|depuis|à partir)|Obtenir|Télécharger|Enviado (?:desde|do|de|a partir|con)|Obtener|Obter|Inviato (?:da|con)|Ottieni|Scarica|Verstuurd vanaf|Verzonden (?:vanaf|met)|Outlook downloaden|Skickat från|Sendt fra|Lähetetty|Wysłan[eoy] z|Отправлено (?:с|из)|Odesláno z|发自我的|從我的|나의)\s?/iu;
const SENT_FROM_BEHIND = /^\s*(?:iPhone|iPad|Android|Outlook).{0,20}(?:から送信|에서 보냄)/iu;
const LONGEST_SENT_FROM = 100;

/** "Sent from my iPhone" and the like. */
export function isDeviceLine(line: string): boolean {
  if (line.length > LONGEST_SENT_FROM) return false;
  return (SENT_FROM.test(line) && DEVICE.test(line)) || SENT_FROM_BEHIND.test(line);
}

const REPLY_PREFIX =
  /^(?:(?:re|aw|antw|sv|vs|ref|rif|res|r|odp|ynt|отв|回复|回覆|답장)\s?(?:\[\d+\])?\s?[:：]\s*)+/iu;
const FORWARD_PREFIX = /^\s*(?:fwd?|wg|tr|rv|i|enc|doorst|vl|vb|vid|pd|iln?t|пер|转发|轉寄|전달)\s?[:：]/iu;

export function withoutReplyPrefix(subject: string): string {
  return subject.trim().replace(REPLY_PREFIX, "");
}

export function isForwardSubject(subject: string): boolean {
  return FORWARD_PREFIX.test(withoutReplyPrefix(subject));
}
