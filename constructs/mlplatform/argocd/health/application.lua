-- An Application of Argo CD is as healthy as what it syncs, once this revision is synced: so a wave waits for the wave before it.
local status, message = "Progressing", "Waiting for the first sync"
if obj.status ~= nil and obj.status.health ~= nil and obj.status.health.status ~= nil then
  status = obj.status.health.status
  message = obj.status.health.message or status
end

local function synced()
  local sync, operation = obj.status.sync, obj.status.operationState
  if sync ~= nil and sync.status == "Synced" then
    return true
  end
  -- what a controller changes afterwards leaves it out of sync for ever; that its sync succeeded is enough
  return sync ~= nil and operation ~= nil and operation.phase == "Succeeded"
    and operation.syncResult ~= nil and operation.syncResult.revision == sync.revision
end

if status == "Healthy" and not synced() then
  status, message = "Progressing", "Not synced yet"
end
if status == "Missing" or status == "Unknown" or status == "" then
  status = "Progressing"
end
return { status = status, message = message }
